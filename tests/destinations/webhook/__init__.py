"""The tests of the kind webhook."""

from tests.stand_ins.receivers import SECRET

URL = "https://example.org/hooks/inbox"
MORE_SETTINGS = {
    "webhook": {"url": URL, "secret": SECRET},
    "webhook_headers": {"url": URL, "secret": SECRET, "headers": {"X-Key": "SecretOfReceiver"}},
}
PLACES = [("webhook_headers", "url", {"headers"})]
