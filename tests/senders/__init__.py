"""Third-party programs and clients as senders: real processes against a real web process."""
