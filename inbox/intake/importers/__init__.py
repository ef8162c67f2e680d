"""Reads set-ups of other tools into a plan of sources, heartbeat monitors, rules and silences (specification 22)."""
