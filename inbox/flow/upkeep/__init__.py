"""Upkeep: the sweep that sends lost wake-ups again, and the purge."""
