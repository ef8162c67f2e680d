"""Doors for RQ: each job is a bell that lets flow drain what is due."""
