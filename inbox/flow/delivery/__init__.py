"""Delivery: due deliveries are claimed, sent, and their results recorded."""
