"""Secrets of destinations in files: `${VARIABLE}` of the environment, or `file:PATH`. They are read, never printed."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from inbox.destinations import KINDS
from inbox.destinations.base import Config
from inbox.destinations.descriptors import FieldDescription, FieldType
from inbox.domain.values.jsonbody import escaped
from inbox.domain.values.refusals import Fault

LARGEST_FILE = 65_536
"""The maximum size of a file with a secret, in bytes."""

FILE = "file:"
_VARIABLE = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}")
_NOT_A_NAME = re.compile(r"[^A-Z0-9]+")

_OF_SERVICE = re.compile(r"INBOX_.*|DATABASE_URL|REDIS_URL|PGPASSWORD")
"""The variables of the service itself. A file, which many people may change, must not send them to a receiver."""

PLAIN = "Write no secret here. Give ${VARIABLE} of the environment, or file:PATH."


@dataclass(frozen=True, slots=True)
class SecretReader:
    """Reads the secrets that a file refers to. Paths are relative to the directory of the file."""

    environment: Mapping[str, str]
    directory: Path

    def config(self, kind: str, config: Mapping[str, Any], faults: list[Fault]) -> dict[str, Any]:
        """Returns the settings of a destination with the values of its secrets. Adds faults below `/config`."""
        secrets = {each.name: each for each in fields_of(kind) if each.secret}
        return {
            name: self._value(secrets[name], value, f"/config/{escaped(name)}", faults) if name in secrets else value
            for name, value in config.items()
        }

    def text(self, reference: Any, at: str, faults: list[Fault]) -> str:
        """Returns the secret of a reference; empty with a fault."""
        text, fault = "", PLAIN
        if isinstance(reference, str) and (named := _VARIABLE.fullmatch(reference)):
            text, fault = self._variable(named[1])
        elif isinstance(reference, str) and reference.startswith(FILE):
            text, fault = self._file(reference.removeprefix(FILE))
        if not text:
            faults.append(Fault(at, fault))
        return text

    def _value(self, field: FieldDescription, value: Any, at: str, faults: list[Fault]) -> Any:
        if field.type is FieldType.HEADERS and isinstance(value, dict):
            return {name: self.text(each, f"{at}/{escaped(name)}", faults) for name, each in value.items()}
        return value if value is None else self.text(value, at, faults)

    def _variable(self, name: str) -> tuple[str, str]:
        if _OF_SERVICE.fullmatch(name):
            return "", f"{name} belongs to the service. Use another variable."
        return self.environment.get(name, ""), f"The environment variable {name} is not set."

    def _file(self, path: str) -> tuple[str, str]:
        try:
            with (self.directory / path).open("rb") as file:
                content = file.read(LARGEST_FILE + 1)
        except (OSError, ValueError):
            return "", f"The file {path} cannot be read."
        if len(content) > LARGEST_FILE:
            return "", f"The file {path} has more than {LARGEST_FILE:,} bytes."
        return content.decode(errors="replace").rstrip("\r\n"), f"The file {path} is empty."


def fields_of(kind: str) -> tuple[FieldDescription, ...]:
    """Returns the fields of a kind's settings; none for an unknown kind."""
    return KINDS[kind].description.fields if kind in KINDS else ()


def exported(kind: str, config: Config, key: str, kept: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the settings for a file. Secrets are references: those of the `kept` settings, or variables by the key."""
    found: dict[str, Any] = {}
    for field in fields_of(kind):
        if not field.secret and config.public.get(field.name, field.default) != field.default:
            found[field.name] = config.public[field.name]
        elif field.type is FieldType.HEADERS and config.headers:
            found[field.name] = _headers(config.headers, key, kept.get(field.name))
        elif field.secret and field.name in config.secrets and field.type is not FieldType.HEADERS:
            found[field.name] = kept.get(field.name) or variable(key, field.name)
    return found


def stored(kind: str, config: Config) -> dict[str, Any]:
    """Returns the secrets of a destination by the names of their fields, to compare them."""
    return {
        each.name: config.headers if each.type is FieldType.HEADERS else config.secrets[each.name]
        for each in fields_of(kind)
        if each.secret and each.name in config.secrets
    }


def _headers(headers: Mapping[str, str], key: str, kept: Any) -> dict[str, str]:
    before = kept if isinstance(kept, Mapping) else {}
    return {name: before.get(name) or variable(key, "headers", name) for name in headers}


def variable(*words: str) -> str:
    """Returns the reference that an export writes for a secret without another one: a variable of these words."""
    parts = (re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", word) for word in words)
    name = _NOT_A_NAME.sub("_", "_".join(parts).upper()).strip("_")
    return f"${{{name if name[:1].isalpha() else f'SECRET_{name}'}}}"
