"""The tests of the import alertmanager_silences."""

SEED = b'[{"id":"1","matchers":[{"name":"a","value":"b","isRegex":false}],"endsAt":"2030-01-01T00:00:00Z"}]'
"""A set-up from which the fuzzer begins."""
