"""Endpoints of heartbeat monitors, their pings, and watchers."""
