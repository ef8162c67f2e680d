"""Intake: payloads of other tools are read as events. Every module is pure: a payload in, events out."""
