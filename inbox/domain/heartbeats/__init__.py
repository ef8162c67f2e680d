"""Heartbeat monitors: their schedules, their states, and the effect of pings and deadlines (specification 18)."""
