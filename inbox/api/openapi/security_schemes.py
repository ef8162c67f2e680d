"""The credentials of specification 11.1 in the OpenAPI document, and the ones that each operation accepts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from inbox.api.http.policy import Credential, EndpointPolicy
from inbox.config.settings import Settings
from inbox.domain.people.cookies import cookie_name

SECURITY: Mapping[Credential, list[dict[str, list[str]]]] = {
    Credential.NONE: [],
    Credential.SESSION: [{"sessionCookie": []}],
    Credential.DEVICE: [{"deviceBearer": []}],
    Credential.USER: [{"sessionCookie": []}, {"deviceBearer": []}],
    Credential.SOURCE_KEY: [{"sourceKey": []}],
    Credential.ALIAS_TOKEN: [{"legacyKey": []}, {"legacyFormatKey": []}, {"aliasBearer": []}],
    Credential.HEARTBEAT_TOKEN: [{"heartbeatToken": []}],
    Credential.PING_KEY: [{"pingKey": []}],
    Credential.SIGNATURE: [
        {"githubSignature": []},
        {"gitlabToken": []},
        {"sentrySignature": []},
        {"grafanaSignature": []},
    ],
    Credential.METRICS_TOKEN: [{"metricsToken": []}],
}
SCHEMES: Mapping[str, Any] = {
    "deviceBearer": {
        "type": "http",
        "scheme": "bearer",
        "description": "The access token of a paired phone: one hour, then `POST /v1/devices/token`. It acts as its "
        "person, without step-up. Never beside the session cookie.",
    },
    "sourceKey": {
        "type": "http",
        "scheme": "bearer",
        "bearerFormat": "svc_src_…",
        "description": "The key of a source; it creates events of this source only.",
    },
    "legacyKey": {
        "type": "apiKey",
        "in": "header",
        "name": "X-Legacy-Key",
        "description": "The alias token of a source, `A` and 14 characters, for senders in the legacy push format.",
    },
    "legacyFormatKey": {
        "type": "apiKey",
        "in": "header",
        "name": "X-Gotify-Key",
        "description": "The alias token in the header of the format itself.",
    },
    "aliasBearer": {
        "type": "http",
        "scheme": "bearer",
        "bearerFormat": "A…",
        "description": "The alias token as bearer. The query parameter `token` works only for a source with `allowQueryToken`.",
    },
    "heartbeatToken": {
        "type": "http",
        "scheme": "bearer",
        "bearerFormat": "svc_hb_…",
        "description": "The token of a heartbeat monitor; it pings this monitor only. It may stand in the path instead.",
    },
    "pingKey": {
        "type": "http",
        "scheme": "bearer",
        "bearerFormat": "svc_ping_…",
        "description": "A ping key of a source; it pings the monitors of this source by their slugs. It may stand in the path instead.",
    },
    "githubSignature": {
        "type": "apiKey",
        "in": "header",
        "name": "X-Hub-Signature-256",
        "description": "`sha256=` and HMAC-SHA256 of the body in hex, under a signing secret of the source.",
    },
    "gitlabToken": {
        "type": "apiKey",
        "in": "header",
        "name": "X-Gitlab-Token",
        "description": "A signing secret of the source. The newer `webhook-signature` is accepted in its place.",
    },
    "sentrySignature": {
        "type": "apiKey",
        "in": "header",
        "name": "Sentry-Hook-Signature",
        "description": "HMAC-SHA256 of the body in hex, under the client secret of the integration.",
    },
    "grafanaSignature": {
        "type": "apiKey",
        "in": "header",
        "name": "X-Grafana-Alerting-Signature",
        "description": "HMAC-SHA256 in hex of the body, or of the seconds in `X-Grafana-Alerting-Timestamp`, a colon and the body.",
    },
    "metricsToken": {
        "type": "http",
        "scheme": "bearer",
        "description": "`INBOX_METRICS_TOKEN`; without that setting none is required on loopback.",
    },
}
"""The schemes that are the same on every instance."""


def security_schemes(settings: Settings) -> dict[str, Any]:
    """Returns the credentials of this instance, including the name of its cookie."""
    return {
        "sessionCookie": {
            "type": "apiKey",
            "in": "cookie",
            "name": cookie_name("inbox_session", settings.base_url),
            "description": "Set by signing in. Writes must not be cross-site; one with a body needs `Content-Type: application/json`.",
        },
        **SCHEMES,
    }


def security(entry: EndpointPolicy) -> list[dict[str, list[str]]]:
    """Returns the credentials of an operation: none, or optional ones beside an empty requirement."""
    return (
        SECURITY[entry.credential] if entry.optional_credential is None else [{}, *SECURITY[entry.optional_credential]]
    )
