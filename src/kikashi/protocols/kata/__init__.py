"""KataGo's JSON analysis protocol: many positions at once, a line each way, for KaTrain, Ogatak and scripts.

Reading order: messages, reading, jobs, answering, engine, serving.
"""
