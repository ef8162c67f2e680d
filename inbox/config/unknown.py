"""Warnings about unknown environment variables that resemble settings, with the probably intended setting."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from difflib import get_close_matches

from inbox.config.secret_files import SECRETS, variable_of
from inbox.config.settings import Settings, variable

PREFIX = "INBOX_"

COMMAND_VARIABLES = frozenset(
    {
        *("INBOX_DATA_DIR", "INBOX_WORKERS", "INBOX_TOKEN", "INBOX_IMPORT_TOKEN"),
        *("INBOX_ADDRESS", "INBOX_SPOOL", "INBOX_SOURCE_KEY", "INBOX_SOURCE_KEY_FILE"),
        *("INBOX_HEARTBEAT_TOKEN", "INBOX_HEARTBEAT_TOKEN_FILE"),
    }
)
"""Variables that only commands read. `docs/configuration.md` or `docs/operators/commands.md` documents them."""


def unknown_settings(environ: Mapping[str, str]) -> list[str]:
    """Returns a sentence for each unknown variable, never with its value."""
    valid_names = {variable(field.name) for field in fields(Settings)} | COMMAND_VARIABLES
    valid_names.update(map(variable_of, SECRETS))
    unknown_names = [name for name in sorted(environ) if name.startswith(PREFIX) and name not in valid_names]
    return [_sentence(name, valid_names) for name in unknown_names]


def _sentence(name: str, valid_names: set[str]) -> str:
    near = get_close_matches(name, valid_names, n=1, cutoff=0.8)
    return f"{name} is no setting and is ignored" + (f"; did you mean {near[0]}?" if near else ".")
