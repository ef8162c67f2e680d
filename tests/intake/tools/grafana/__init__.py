"""The rows of grafana in the tests of all tools."""

from __future__ import annotations

from tests.cast import present
from tests.intake.snippet_requests import Fields, Headers, Sent, digest

ALARM = ("CPU of web1", "WARNING", "grafana:3:c6eadffa33fcdf37")


def of_signed_grafana(fields: Fields, body: bytes) -> Headers:
    sent_at = str(int(present().timestamp()))
    signed = digest(fields["HMAC Secret"], f"{sent_at}:".encode() + body)
    return {fields["Header"]: signed, fields["Timestamp Header"]: sent_at}


SENT: Sent = {
    "grafana": lambda fields, _: {
        "Authorization": f"{fields['Authorization Header Scheme']} {fields['Authorization Credentials']}"
    },
    "signed": of_signed_grafana,
}
