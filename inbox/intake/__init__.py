"""Intake: turns payloads of other tools into events. Every module is pure: a payload in, events out."""
