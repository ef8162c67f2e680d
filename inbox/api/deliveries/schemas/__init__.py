"""Shapes of destinations, notices, deliveries and their explanations."""
