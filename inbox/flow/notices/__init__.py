"""Notices: recipients, times of notification, and the fallback when no destination is reachable."""
