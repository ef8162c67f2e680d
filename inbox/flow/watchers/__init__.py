"""Watchers in the pipeline: a check-in pings the monitor of its watcher, and its checks become events.

1. `inbox/services/heartbeats/watchers.py` finds or creates the watcher, and locks it with its monitor.
2. `check_in` stores the report, pings the monitor and compares the checks.
3. `check_events` writes the events of changed checks into the queue of routing.
"""
