"""The tests of the kind email."""

MORE_SETTINGS = {"email": {"to": "on-call@example.org"}}
