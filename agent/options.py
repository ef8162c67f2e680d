"""Addresses and credentials. A credential comes from the environment or from a file, never from an argument."""

from __future__ import annotations

import argparse
import os
import sys

AGENT_VERSION = "1.0"
DEFAULT_ADDRESS = "http://127.0.0.1:8080"
LONGEST_CREDENTIAL = 4096

SOURCE_KEY = "INBOX_SOURCE_KEY"
HEARTBEAT_TOKEN = "INBOX_HEARTBEAT_TOKEN"


class Unusable(Exception):
    """The options cannot be used. The text says why, without a secret."""


def add_instance(parser: argparse.ArgumentParser, variable: str) -> None:
    """Adds the options of the instance and of the credential to a command."""
    about = f"of the instance (default INBOX_ADDRESS, else INBOX_BASE_URL, else {DEFAULT_ADDRESS})"
    parser.add_argument("--address", help=about)
    parser.add_argument("--key-file", metavar="FILE", help=f"the file with the credential (default {variable}_FILE)")


def address_of(options: argparse.Namespace) -> str:
    """Returns the address of the instance, without a slash at its end."""
    found = options.address or os.environ.get("INBOX_ADDRESS") or os.environ.get("INBOX_BASE_URL") or DEFAULT_ADDRESS
    return str(found).rstrip("/")


def credential_of(options: argparse.Namespace, variable: str) -> str:
    """Returns the credential: from `--key-file`, else the variable, else the file that `<variable>_FILE` names.

    Raises `Unusable` when there is none.
    """
    path = options.key_file or (None if os.environ.get(variable) else os.environ.get(variable + "_FILE"))
    found = _read(path) if path else os.environ.get(variable, "")
    found = found.strip()
    if not found or not found.isascii() or not found.isprintable() or " " in found:
        raise Unusable(
            f"Set {variable} to the credential, or name its file with --key-file."
            " Arguments are visible to all users of the machine."
        )
    return found


def warn(text: str) -> None:
    """Prints a line on standard error. A closed standard error is no failure."""
    try:
        print("inbox: " + text, file=sys.stderr, flush=True)
    except (OSError, ValueError):
        pass


def whole_number(text: str) -> int:
    """Returns the positive whole number of an argument."""
    found = int(text)
    if found < 1:
        raise ValueError(text)
    return found


def pair(text: str) -> tuple[str, str]:
    """Returns the parts of an argument `NAME=VALUE`."""
    name, separator, value = text.partition("=")
    if not separator or not name.strip() or not value.strip():
        raise argparse.ArgumentTypeError("write NAME=VALUE")
    return name.strip(), value.strip()


def readable(text: str) -> str:
    """Returns a text of the command line.

    Bytes that are no UTF-8 are replaced, because they would invalidate a request.
    """
    return text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def _read(path: str) -> str:
    try:
        with open(path, encoding="utf-8") as file:
            return file.read(LONGEST_CREDENTIAL)
    except (OSError, ValueError) as fault:
        raise Unusable(f"The file of the credential cannot be read: {_reason(fault)}") from None


def _reason(fault: Exception) -> str | None:
    return getattr(fault, "strerror", None) or type(fault).__name__
