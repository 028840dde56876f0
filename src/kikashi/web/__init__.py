"""The board in the browser: a server for pages on which people play, study, look inside a search and watch matches.

Reading order: limits, messages, requests, events, findings; document (a game tree with a place in it), turns and jobs
(who may search when), outbox (what waits for a page), play, study, inside, theatre, laboratory and duel (what a page
can do), page (who does it), guard and serving (who may come in).
"""
