"""People on call in the pipeline: stored schedules as computable ones, and the log of who was on call.

1. A change of a schedule, of an override, a forwarding or a member sets the timer of each schedule that it concerns.
2. `record` runs at this timer, and at each handoff: it writes the log, publishes the change, and sets the next time.
"""
