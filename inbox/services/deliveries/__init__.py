"""Use cases of destinations and deliveries: tests, replays, reports, ends of subscriptions."""
