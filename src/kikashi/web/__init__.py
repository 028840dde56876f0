"""The board in the browser: a server for pages on which people play, study, inspect a search and watch matches.

Reading order: requests, events; game_tree, analyses; tasks; play, study, search_viewer, playout_viewer, laboratory and
duel; page; auth and server.
"""
