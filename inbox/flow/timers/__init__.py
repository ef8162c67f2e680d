"""Timers: due timers of incidents, silences and sources are run once each."""
