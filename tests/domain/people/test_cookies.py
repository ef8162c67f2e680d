"""Names and paths of cookies by the address of the service."""

from __future__ import annotations

import pytest

from inbox.domain.people.cookies import cookie_name, cookie_path

OIDC = "/v1/auth/oidc/acme/callback"


@pytest.mark.parametrize(
    ("base_url", "path", "name", "sent_to"),
    [
        ("https://inbox.example.org", "/", "__Host-inbox_session", "/"),
        ("https://inbox.example.org", OIDC, "__Secure-inbox_session", OIDC),
        ("https://ops.example.org/inbox", "/", "__Secure-inbox_session", "/inbox"),
        ("https://ops.example.org/inbox", OIDC, "__Secure-inbox_session", f"/inbox{OIDC}"),
        ("http://127.0.0.1:8080", "/", "inbox_session_8080", "/"),
        ("http://127.0.0.1:8080/inbox", "/", "inbox_session_8080", "/inbox"),
    ],
)
def test_a_cookie_is_sent_to_this_service_alone(base_url: str, path: str, name: str, sent_to: str) -> None:
    assert cookie_name("inbox_session", base_url, path=path) == name
    assert cookie_path(base_url, path) == sent_to
