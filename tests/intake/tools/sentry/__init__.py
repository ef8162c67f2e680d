"""The rows of sentry in the tests of all tools."""

from __future__ import annotations

from tests.intake.snippet_requests import Fields, Headers, Sent, digest, of_address

ALARM = ("SHOP-9: KeyError: sku", "ERROR", "sentry:issue:1170")


def of_sentry(fields: Fields, body: bytes) -> Headers:
    return {"Sentry-Hook-Signature": digest(fields["Client Secret"].rpartition(" ")[2], body)}


SENT: Sent = {"sentry": of_sentry, "plugin": of_address}
