"""Heartbeats in the pipeline: a ping or a passed deadline changes a monitor, and becomes an event where people must know.

1. `ping` receives a ping, `ping_groups` receives those that wait together, and `deadline` runs the timer of a monitor.
2. `transitions` stores the new state, the history, the next timer, and the event in one transaction. The event enters the
   queue of routing, as one of a request to `POST /v1/events` does.

`availability` finds times in which no ping could be received, and excuses them.
"""
