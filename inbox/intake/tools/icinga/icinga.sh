#!/bin/sh
# Arguments: type, host, service (empty for a host), state, output, time.
# Icinga 2:  $notification.type$ $host.name$ $service.name$ $service.state$ $service.output$ $icinga.timet$
# Nagios:    "$NOTIFICATIONTYPE$" "$HOSTNAME$" "$SERVICEDESC$" "$SERVICESTATE$" "$SERVICEOUTPUT$" "$TIMET$"
python3 -c 'import json, sys
texts = [text.encode("utf-8", "surrogateescape").decode("utf-8", "replace") for text in sys.argv[1:]]
print(json.dumps(dict(zip(("type", "host", "service", "state", "output", "time"), texts))))' "$@" |
  curl -fsS -m 10 --retry 5 @URL@/v1/hooks/icinga -H "Authorization: Bearer @KEY@" \
    -H "Content-Type: application/json" --data-binary @-
