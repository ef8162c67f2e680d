"""Schedules of people on call."""
