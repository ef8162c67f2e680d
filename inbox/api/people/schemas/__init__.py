"""Shapes of people, their factors, devices and sessions."""
