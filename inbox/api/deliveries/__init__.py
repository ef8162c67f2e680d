"""Endpoints of destinations, notices and deliveries."""
