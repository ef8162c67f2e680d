# Shell functions for the pages in docs/users. Load them with: . docs/examples/ask.sh
# They need curl and python3. The session cookie is kept in the file `jar` of the current directory.

# ask URL [CURL ARGUMENTS]: call the API, print the answer on one line. The exit code is not 0 for an error.
ask() { curl -sS --fail-with-body -w '\n' -b jar -c jar -H 'Content-Type: application/json' "$@"; }

# pick STEP...: print one value of the JSON on standard input. A step is a field name or the index of a list.
pick() {
    python3 -c 'import json, sys
value = json.load(sys.stdin)
for step in sys.argv[1:]:
    value = value[int(step)] if isinstance(value, list) else value[step]
print(value if isinstance(value, str) else json.dumps(value, indent=2, ensure_ascii=False))' "$@"
}

# wait_for TEXT URL: ask until the answer contains TEXT, at most 60 seconds. Routing and delivery take a moment.
wait_for() {
    for _ in $(seq 120); do
        if ask "$2" | grep -F -- "$1"; then return 0; fi
        sleep 0.5
    done
    echo "no \"$1\" in the answer of $2" >&2
    return 1
}
