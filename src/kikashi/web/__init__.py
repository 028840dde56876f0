"""The board in the browser: a server for pages on which people play, study, inspect a search and watch matches.

Reading order: messages; game_tree, analyses, shelf; tasks; play, study, search_viewer, laboratory and duel; page; auth
and server.
"""
