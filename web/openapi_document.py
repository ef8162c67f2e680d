"""Prints the OpenAPI document that the client of the dashboard is generated from. It needs no server.

The document is built from routes, schemas and policy with settings of no instance, so it is the same on every machine.
"""

from __future__ import annotations

import base64
import sys

from app import create_app
from inbox.api.openapi.document import generated
from inbox.config.settings import Settings
from inbox.services.instance import bootstrap

SETTINGS = {
    "DATABASE_URL": "postgresql://127.0.0.1:1/none",
    "REDIS_URL": "redis://127.0.0.1:1/0",
    "INBOX_SECRET_KEYS": "k1:" + base64.b64encode(bytes(32)).decode(),
    "INBOX_SIGNING_KEY": "document-only-" + "0" * 32,
    "INBOX_LOG_LEVEL": "ERROR",
}


def main() -> None:
    chosen = Settings.from_env(SETTINGS)
    bootstrap.configure(chosen, application="inbox-document")
    sys.stdout.buffer.write(generated(create_app(chosen)))


if __name__ == "__main__":
    main()
