"""Use cases that explain: why destinations were notified, and what comes next."""
