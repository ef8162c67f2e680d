"""Set-ups of other tools, read as a plan of sources, heartbeat monitors, rules and silences (specification 22)."""
