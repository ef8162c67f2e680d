curl -fsS @URL@/v1/compat/opsgenie/v2/alerts \
  -H "Authorization: GenieKey @KEY@" \
  -H "Content-Type: application/json" \
  -d '{"message": "Disk is almost full", "alias": "disk/db2", "priority": "P2"}'
