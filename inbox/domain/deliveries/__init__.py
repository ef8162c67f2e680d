"""Rules about notices and deliveries: plans, recipients, digests, quiet hours, retries."""
