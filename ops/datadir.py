"""The data directory: the files of a run, and the settings with which other commands join it."""

from __future__ import annotations

import base64
import contextlib
import json
import os
import secrets
from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path

from inbox.config.settings import Settings, variable
from inbox.runtime.distribution import IS_CHECKOUT, ROOT
from ops import ownership

KEYS = ("INBOX_SECRET_KEYS", "INBOX_SIGNING_KEY")
FIRST_ONLY = ("INBOX_ADMIN_EMAIL", "INBOX_ADMIN_PASSWORD")
"""The variables for the first account. The service itself has no use for them."""

LARGEST_LOG = 16 * 1024 * 1024
PART = 256 * 1024


class Unreadable(Exception):
    """A file of the data directory cannot be read, for example by another user than `bin/up`'s. The text names it."""


class DataDir:
    """`keys` (made once, keep it with every backup), `addresses` (while `bin/up` runs), `logs/`, and the servers' data.

    `addresses` also has the settings of the run, including ones with a password.
    """

    def __init__(self, path: Path) -> None:
        self.path = path.absolute()
        self.logs = self.path / "logs"
        self._keys = self.path / "keys"
        self._addresses = self.path / "addresses"
        self._has_made_keys = False

    @classmethod
    def of(cls, environ: Mapping[str, str]) -> DataDir:
        """Returns the directory of `INBOX_DATA_DIR`, or the default one."""
        return cls(Path(environ.get("INBOX_DATA_DIR") or cls.default(environ)))

    @staticmethod
    def default(environ: Mapping[str, str]) -> Path:
        """Returns `var` in a checkout; otherwise `incident-inbox` in the user's data directory (XDG Base Directory)."""
        if IS_CHECKOUT:
            return ROOT / "var"
        data_home = Path(environ.get("XDG_DATA_HOME", ""))
        return (data_home if data_home.is_absolute() else Path.home() / ".local" / "share") / "incident-inbox"

    def create(self) -> None:
        self.logs.mkdir(parents=True, exist_ok=True, mode=0o700)

    @property
    def lost_keys(self) -> bool:
        """Whether there is a database here, and the file of its keys is missing."""
        return not self._keys.exists() and (self.path / "postgres" / "PG_VERSION").exists()

    def keys(self) -> dict[str, str]:
        """Returns the keys for sealing and signing, generated on first use.

        Without them stored credentials cannot be read.
        """
        if not self._keys.exists():
            sealing = base64.b64encode(secrets.token_bytes(32)).decode()
            key_id = f"k{secrets.token_hex(4)}" if self.lost_keys else "k1"
            _write(self._keys, dict(zip(KEYS, (f"{key_id}:{sealing}", secrets.token_urlsafe(32)), strict=True)))
            self._has_made_keys = True
        return _read(self._keys)

    def forget_made_keys(self) -> None:
        """Removes the key file if this process made it, and nothing was sealed with it yet."""
        if self._has_made_keys:
            self._keys.unlink(missing_ok=True)

    def announce(self, environment: Mapping[str, str]) -> None:
        """Stores the settings of this environment for `join`. The keys and the first account are not among them."""
        names = {variable(each.name) for each in fields(Settings)} - {*KEYS, *FIRST_ONLY}
        _write(self._addresses, {name: _in_one_line(environment[name]) for name in sorted(names & environment.keys())})

    def withdraw(self) -> None:
        """Reverts `announce`."""
        self._addresses.unlink(missing_ok=True)

    def join(self, environ: Mapping[str, str]) -> dict[str, str]:
        """Returns the environment, completed by the settings of the run on this directory. Existing values stay.

        A variable that is empty is not set. Raises Unreadable.
        """
        found: dict[str, str] = {}
        for file, read in ((self._keys, str), (self._addresses, _as_announced)):
            try:
                if file.exists():
                    found |= {name: read(value) for name, value in _read(file).items()}
            except OSError as fault:
                owner = ownership.described(str(self.path))
                raise Unreadable(f"{file} cannot be read: {fault.strerror}{owner}") from None
        return found | {name: value for name, value in environ.items() if value or name not in found}

    def cut_logs(self) -> None:
        """Keeps the newest part of each log that has grown large, once, as `<name>.1`. Its writers only append.

        A log that cannot be cut now, on a full disk, is left for the next time.
        """
        for log in self.logs.glob("*.log"):
            with contextlib.suppress(OSError):
                if log.stat().st_size > LARGEST_LOG:
                    _cut(log)


def module_search() -> dict[str, str]:
    """Returns Python settings for our processes: modules of the product, whatever the current directory contains."""
    return {"PYTHONSAFEPATH": "1"} | ({"PYTHONPATH": str(ROOT)} if IS_CHECKOUT else {})


def _cut(log: Path) -> None:
    rotated, left = log.with_suffix(".log.1"), LARGEST_LOG
    rotated.unlink(missing_ok=True)
    try:
        with (
            log.open("rb") as old,
            os.fdopen(os.open(rotated, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as new,
        ):
            old.seek(-LARGEST_LOG, os.SEEK_END)
            while left and (part := old.read(min(left, PART))):
                new.write(part)
                left -= len(part)
    except OSError:
        rotated.unlink(missing_ok=True)
        raise
    os.truncate(log, 0)


def _write(file: Path, values: Mapping[str, str]) -> None:
    """Writes a file that is never half written, and readable by its owner alone from the first moment."""
    fresh = file.with_suffix(".new")
    fresh.unlink(missing_ok=True)
    with os.fdopen(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as output:
        output.writelines(f"{name}={value}\n" for name, value in values.items())
        output.flush()
        os.fsync(output.fileno())
    fresh.replace(file)


def _read(file: Path) -> dict[str, str]:
    pairs = (line.partition("=") for line in file.read_text(encoding="utf-8").splitlines() if "=" in line)
    return {name: value for name, _, value in pairs}


def _in_one_line(value: str) -> str:
    """Returns the value as JSON if it has a character, such as a line break, that a line cannot have."""
    return value if value.isprintable() and not value.startswith('"') else json.dumps(value)


def _as_announced(line: str) -> str:
    if line.startswith('"'):
        with contextlib.suppress(ValueError):
            return str(json.loads(line))
    return line
