"""The tests of the kind apprise."""

MORE_SETTINGS = {"apprise": {"url": "rocket://user:password@chat.example.org/room"}}
