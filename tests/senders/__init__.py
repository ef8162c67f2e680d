"""Programs and clients of others as senders: real processes against a real web process."""
