"""Heartbeat monitors: their schedules, their states, and what a ping or a deadline changes (specification 18)."""
