curl @URL@/v1/events \
  -H "Authorization: Bearer @KEY@" \
  -H "Content-Type: application/json" \
  -d '{"title":"Disk is almost full","severity":"ERROR","dedupKey":"first-event"}'
