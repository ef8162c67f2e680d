"""The queries of heartbeat monitors: locks, pings, history, and the availability of the ping endpoints."""
