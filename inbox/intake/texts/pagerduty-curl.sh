curl -fsS @URL@/v1/compat/pagerduty/v2/enqueue \
  -H "Content-Type: application/json" \
  -d '{"routing_key": "@KEY@", "event_action": "trigger", "dedup_key": "disk/db2",
       "payload": {"summary": "Disk is almost full", "source": "db2", "severity": "error"}}'
