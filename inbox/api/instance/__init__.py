"""Endpoints of the instance: dashboard, health, metrics, set-up, administration, stream."""
