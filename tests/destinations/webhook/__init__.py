"""The tests of the kind webhook."""

from tests.stand_ins.receivers import SECRET

MORE_SETTINGS = {"webhook": {"url": "https://example.org/hooks/inbox", "secret": SECRET}}
