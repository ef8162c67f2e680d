"""Secrets that a file holds, as Docker and Kubernetes mount them: `REDIS_URL_FILE` names the file of `REDIS_URL`."""

from __future__ import annotations

from collections.abc import Mapping, MutableMapping
from pathlib import Path

SECRETS = (
    "DATABASE_URL",
    "INBOX_MIGRATION_DATABASE_URL",
    "INBOX_DIRECT_DATABASE_URL",
    "INBOX_READ_DATABASE_URL",
    "REDIS_URL",
    "INBOX_SECRET_KEYS",
    "INBOX_SIGNING_KEY",
    "INBOX_ADMIN_PASSWORD",
    "INBOX_SMTP_URL",
    "INBOX_METRICS_TOKEN",
    "INBOX_OIDC_PROVIDERS",
    "INBOX_OUTBOUND_PROXY",
)
"""The settings whose value may be in a file."""

MOST_BYTES = 64 * 1024


def variable_of(name: str) -> str:
    """Returns the variable that names the file of a setting."""
    return f"{name}_FILE"


def read(environ: Mapping[str, str]) -> tuple[dict[str, str], list[str]]:
    """Returns the variables with the contents of the files that they name, and the faults, without a value.

    White space around a secret is dropped. The variables of the files are left out: a child process gets the values.
    """
    files = {name: path for name in SECRETS if (path := environ.get(variable_of(name), "").strip())}
    values = {name: value for name, value in environ.items() if name not in map(variable_of, SECRETS)}
    faults = []
    for name, path in files.items():
        if environ.get(name, "").strip():
            faults.append(f"{name} and {variable_of(name)} are both set")
            continue
        try:
            values[name] = _content(path)
        except (OSError, ValueError) as fault:
            reason = fault.strerror if isinstance(fault, OSError) else fault
            faults.append(f"{variable_of(name)} names a file that cannot be used: {reason}")
    return values, faults


def adopt(environ: MutableMapping[str, str]) -> list[str]:
    """Replaces the variables of files by those of the secrets, for child processes, and returns the faults."""
    values, faults = read(environ)
    for name in SECRETS:
        if environ.pop(variable_of(name), "") and name in values:
            environ[name] = values[name]
    return faults


def _content(path: str) -> str:
    with Path(path).open("rb") as file:
        content = file.read(MOST_BYTES + 1)
    if len(content) > MOST_BYTES:
        raise ValueError(f"it has more than {MOST_BYTES // 1024} KiB")
    try:
        secret = content.decode().strip()
    except UnicodeDecodeError:
        raise ValueError("it is not UTF-8") from None
    if not secret:
        raise ValueError("it is empty")
    return secret
