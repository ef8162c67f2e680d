"""Upkeep: the sweep, which sends lost wake-ups again, and the purge."""
