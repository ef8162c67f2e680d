"""The pipeline of an event. Each step is a package. An event passes them in this order:

1. `ingest`: requests are validated, deduplicated and stored by one group commit. The response is 202 after the commit.
2. `routing`: a worker locks a partition and fetches queued events in order. `process_batch` evaluates rules, applies events to
   incidents, writes, and calls step 3 and `timers`.
3. `notices`: `recipients` decides who is notified; notices and deliveries are written in the routing transaction.
4. `delivery`: a worker claims due deliveries, calls the receivers, and records the results.

Other packages start work at a due time, or for a person, a ping, a check-in or the scheduler:

- `timers`: due timers escalate, remind, time out, and end snoozes, silences and quiet hours.
- `people`: acts of people on incidents, and their undo, use the same incident writer.
- `heartbeats`: pings and passed deadlines of heartbeat monitors become events, which enter step 2.
- `watchers`: check-ins ping monitors, and changed checks become events, which enter step 2.
- `oncall`: at each handoff, the log of who is on call is written.
- `upkeep`: the sweep sends lost wake-ups again; the purge removes old data.

`preview` runs steps 2 and 3 on stored events without writing. `backdating` runs all steps with the clock of the past.
`unit_of_work` is one transaction with its wake-ups. `group_commit` joins requests that wait into one.
"""
