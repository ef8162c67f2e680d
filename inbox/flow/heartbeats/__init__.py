"""Heartbeats in the pipeline: a ping or a passed deadline changes a monitor and may become an event.

1. `ping` receives a ping, `ping_groups` receives pings that wait together, and `deadline` runs a monitor's timer.
2. `transitions` stores the new state, the history, the next timer, and the event in one transaction. The event enters
   the queue of routing, like one from a request to `POST /v1/events`.

`availability` finds periods in which no ping could be received, and excuses the monitors.
"""
