"""Delivery: claims due deliveries, sends them, and records the results."""
