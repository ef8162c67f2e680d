curl @URL@/v1/events \
  -H "Authorization: Bearer @KEY@" \
  -H "Content-Type: application/json" \
  -d '{"title":"Disk has room again","severity":"SUCCESS","dedupKey":"first-event","action":"resolve"}'
