"""KataGo's JSON analysis protocol, for KaTrain, Ogatak and scripts.

Reading order: messages, queries, responses, engine, server.
"""
