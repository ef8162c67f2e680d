#!/bin/sh
# Arguments: type, host, service (empty for a host), state, output, time, long output, author, comment, notes URL, display
# name, address. The page of this sender has the objects of Icinga 2 and of Nagios that call this script.
python3 -c 'import json, sys
names = "type host service state output time longOutput author comment notesUrl displayName address".split()
texts = [text.encode("utf-8", "surrogateescape").decode("utf-8", "replace") for text in sys.argv[1:]]
print(json.dumps(dict(zip(names, texts))))' "$@" |
  curl -fsS -m 10 --retry 5 @URL@/v1/hooks/icinga -H "Authorization: Bearer @KEY@" \
    -H "Content-Type: application/json" --data-binary @-
