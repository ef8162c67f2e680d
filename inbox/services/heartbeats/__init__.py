"""Use cases of heartbeat monitors and watchers."""
