"""Shapes of heartbeat monitors, pings and watchers."""
