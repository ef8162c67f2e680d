curl @URL@/v1/hooks/custom \
  -H "Authorization: Bearer @KEY@" -H "Content-Type: application/json" \
  -d '{"alerts": [{"name": "DiskFull", "host": "db2", "level": "high", "state": "firing"}]}'
