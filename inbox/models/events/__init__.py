"""Queries and writes of events, and the queue of those not yet routed."""
