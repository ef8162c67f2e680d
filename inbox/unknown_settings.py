"""Warnings about unknown environment variables that resemble settings, with the probably intended setting."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from difflib import get_close_matches

from inbox.settings import Settings, variable

PREFIX = "INBOX_"

BESIDE = frozenset({"INBOX_DATA_DIR", "INBOX_WORKERS", "INBOX_TOKEN", "INBOX_SOURCE_KEY"})
"""Variables that only commands read. `docs/configuration.md` or `docs/operators/commands.md` documents them."""

OF_TESTS = frozenset({"INBOX_TEST_EXAMPLES", "INBOX_TEST_SERVERS", "INBOX_TEST_FORETOLD"})


def unknown_settings(environ: Mapping[str, str]) -> list[str]:
    """A sentence for each unknown variable, never with its value."""
    known = {variable(field.name) for field in fields(Settings)} | BESIDE
    strange = [name for name in sorted(environ) if name.startswith(PREFIX) and name not in known | OF_TESTS]
    return [_sentence(name, known) for name in strange]


def _sentence(name: str, known: set[str]) -> str:
    near = get_close_matches(name, known, n=1, cutoff=0.8)
    return f"{name} is no setting and is ignored" + (f"; did you mean {near[0]}?" if near else ".")
