"""On-call schedules over HTTP."""
