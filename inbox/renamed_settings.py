"""Renamed settings: every process refuses the old name and states the new one."""

from __future__ import annotations

from collections.abc import Mapping

RENAMED: Mapping[str, str] = {
    "INBOX_PAIRING_TRIES": "INBOX_PAIRING_ATTEMPTS",
    "INBOX_PAIRING_TRIES_PER_ADDRESS": "INBOX_PAIRING_ATTEMPTS_PER_ADDRESS",
    "INBOX_RESETS_PER_DAY_ACCOUNT": "INBOX_PASSWORD_RESETS_PER_ACCOUNT_DAY",
    "INBOX_SIGN_INS_PER_ACCOUNT": "INBOX_SIGN_INS_PER_ACCOUNT_5MIN",
    "INBOX_SIGN_INS_PER_ADDRESS": "INBOX_SIGN_INS_PER_ADDRESS_5MIN",
}
"""The old names and the new ones. The values mean the same."""


def renamed_settings(environ: Mapping[str, str]) -> list[str]:
    """A fault for each old name with a value. Without it, the default would silently replace the old limit."""
    return [
        f"{old} is called {new} now: rename it, the value means the same"
        for old, new in RENAMED.items()
        if environ.get(old, "").strip()
    ]
