"""Protocols of front ends: GTP and KataGo's JSON."""
