"""`watch`: checks in with the state of this host, once or until it is stopped."""

from __future__ import annotations

import argparse
import configparser
import json
import os
import random
import re
import signal
import socket
import threading
import time
from typing import Any, NamedTuple

from agent.checks import (
    LONGEST_NAME,
    MEMORY_FILE,
    MOST_CHECKS,
    Examination,
    HostCheck,
    Limits,
    command_check,
    disk_check,
    load_check,
    memory_check,
    unit_check,
)
from agent.client import Away, Client, Refused, repeated
from agent.delivery import flush
from agent.options import (
    AGENT_VERSION,
    SOURCE_KEY,
    Unusable,
    add_instance,
    address_of,
    credential_of,
    pair,
    readable,
    warn,
    whole_number,
)
from agent.spool import Spool

CHECK_IN = "/v1/watchers/check-in"
DEFAULT_INTERVAL = 60
CHECK_SECONDS = 10
ONCE_SECONDS = 25.0
FIRST_RETRY = 5.0
EXTRA_RETRY = 20.0
"""Added to the interval for the longest pause while the instance is unreachable. It is below the grace of a watcher."""

FLUSH_SECONDS = 5.0
OPTIONS = {
    "watch": ["interval", "timeout", "address", "key_file", "id", "name"],
    "labels": None,
    "disk": ["paths", "warn", "fail"],
    "memory": ["warn", "fail"],
    "load": ["warn", "fail"],
    "units": ["names"],
    "command": ["run"],
    "plugin": ["run"],
}
"""The sections of a file and their options; a label has any name. `command` and `plugin` are followed by a name."""

DISK, MEMORY, LOAD = Limits(85, 95), Limits(90, 97), Limits(2, 4)


class WatchSettings(NamedTuple):
    """The settings of a watcher: its description for the check-in, its interval in seconds, and its checks."""

    described: dict[str, Any]
    interval: int
    examination: Examination


def add_watch(commands: Any) -> None:
    """Adds the command."""
    about = "Check in with the disks, the memory, the load, units and commands of this host."
    made = commands.add_parser(
        "watch", help=about, description=about + " The source key comes from " + SOURCE_KEY + "."
    )
    add_instance(made, SOURCE_KEY)
    made.add_argument("--config", metavar="FILE", help="settings and checks; options add to them")
    made.add_argument("--once", action="store_true", help="check in once, for cron")
    made.add_argument("--interval", type=whole_number, metavar="SECONDS", help="between check-ins (default 60)")
    made.add_argument("--timeout", type=whole_number, metavar="SECONDS", help="of each check (default 10)")
    made.add_argument("--id", help="the id of this watcher (default: the name of the host)")
    made.add_argument("--name", help="the name that people read (default: the name of the host)")
    made.add_argument("--label", action="append", type=pair, default=[], metavar="NAME=VALUE")
    made.add_argument("--disk", action="append", default=[], metavar="PATH", help="a file system (default /)")
    made.add_argument("--unit", action="append", default=[], metavar="UNIT", help="a unit of systemd")
    made.add_argument(
        "--command", action="append", type=pair, default=[], metavar="NAME=COMMAND", help="ok: exit code 0"
    )
    made.add_argument(
        "--plugin", action="append", type=pair, default=[], metavar="NAME=COMMAND", help="exit code 1 warns"
    )
    made.set_defaults(act=watch)


def watch(options: argparse.Namespace) -> int:
    """Checks in until SIGTERM or SIGINT, or once. Raises `Unusable`."""
    settings = watch_settings(options)
    client = Client(address_of(options), credential_of(options, SOURCE_KEY))
    if options.once:
        return _watch_once(client, settings)
    stopped = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stopped.set())
    _watch_on(client, settings, stopped)
    return 0


def watch_settings(options: argparse.Namespace) -> WatchSettings:
    """Returns the settings of the file and of the options. Raises `Unusable`."""
    file = _file(options.config)
    host = socket.gethostname()
    general = file["watch"] if file.has_section("watch") else {}
    try:
        interval = options.interval or int(general.get("interval", DEFAULT_INTERVAL))
        timeout = options.timeout or int(general.get("timeout", CHECK_SECONDS))
        checks = _checks(options, file)
    except ValueError as fault:
        raise Unusable(f"A number is not valid: {fault}") from None
    if not 10 <= interval <= 86400:
        raise Unusable("The interval must have 10 to 86400 seconds.")
    if options.address is None:
        options.address = general.get("address")
    if options.key_file is None:
        options.key_file = general.get("key_file")
    labels = dict(file.items("labels")) if file.has_section("labels") else {}
    labels.update(options.label)
    described = {
        "watcherId": options.id or general.get("id") or re.sub(r"[^A-Za-z0-9._:@-]", "-", host)[:100],
        "name": options.name or general.get("name") or host[:100],
        "hostname": host,
        "version": AGENT_VERSION,
        "intervalSeconds": interval,
        "labels": labels,
    }
    return WatchSettings(described, interval, Examination(checks, timeout))


def _file(path: str | None) -> configparser.ConfigParser:
    made = configparser.ConfigParser(interpolation=None, default_section="")
    made.optionxform = str  # type: ignore[assignment,method-assign]
    if path is None:
        return made
    try:
        with open(path, encoding="utf-8") as file:
            made.read_file(file)
    except (OSError, ValueError, configparser.Error) as fault:
        raise Unusable(f"The file {path} cannot be used: {fault}") from None
    for section in made.sections():
        mistake = _mistake(section, dict(made.items(section)))
        if mistake:
            raise Unusable(f"The file {path} has {mistake}")
    return made


def _mistake(section: str, found: dict[str, str]) -> str:
    """Returns the fault of a section, or an empty text. A check that nobody runs would be `ok` for ever."""
    kind, separator, _ = section.partition(" ")
    is_check = kind in ("command", "plugin")
    if kind not in OPTIONS or is_check != bool(separator):
        return f"an unknown section: [{section}]"
    valid = OPTIONS[kind]
    unknown = [] if valid is None else [name for name in found if name not in valid]
    if unknown:
        return f"an unknown option in [{section}]: {unknown[0]}"
    if is_check and not found.get("run", "").strip():
        return f"no command in [{section}]: write it after `run =`"
    return ""


def _checks(options: argparse.Namespace, file: configparser.ConfigParser) -> list[HostCheck]:
    disks, units = _words(file, "disk", "paths") + options.disk, _words(file, "units", "names") + options.unit
    made = [disk_check(path, _limits(file, "disk", DISK)) for path in disks or ["/"]]
    if os.path.exists(MEMORY_FILE):
        made.append(memory_check(_limits(file, "memory", MEMORY)))
    made.append(load_check(_limits(file, "load", LOAD)))
    made += [unit_check(unit) for unit in units]
    for section in file.sections():
        kind, _, name = section.partition(" ")
        if kind in ("command", "plugin"):
            made.append(command_check(name.strip(), file.get(section, "run"), is_plugin=kind == "plugin"))
    made += [command_check(name, command, is_plugin=False) for name, command in options.command]
    made += [command_check(name, command, is_plugin=True) for name, command in options.plugin]
    return _valid(made)


def _valid(checks: list[HostCheck]) -> list[HostCheck]:
    names = [check.name for check in checks]
    if len(names) > MOST_CHECKS:
        raise Unusable(f"A watcher has at most {MOST_CHECKS} checks.")
    for name in names:
        if not name or len(name) > LONGEST_NAME or not name.isprintable():
            raise Unusable(f"The name of a check has 1 to {LONGEST_NAME} characters: {name!r}")
        if names.count(name) > 1:
            raise Unusable(f"Two checks have the name {name!r}.")
    return checks


def _words(file: configparser.ConfigParser, section: str, option: str) -> list[str]:
    return file.get(section, option, fallback="").split()


def _limits(file: configparser.ConfigParser, section: str, default: Limits) -> Limits:
    return Limits(
        file.getfloat(section, "warn", fallback=default.warn), file.getfloat(section, "fail", fallback=default.fail)
    )


def _watch_once(client: Client, settings: WatchSettings) -> int:
    try:
        repeated(lambda: _check_in(client, settings), 3, ONCE_SECONDS)
    except (Away, Refused) as fault:
        warn(str(fault))
        return 1
    flush(client, Spool(client.address, client.credential), FLUSH_SECONDS)
    return 0


def _check_in(client: Client, settings: WatchSettings) -> dict[str, Any]:
    body = json.dumps({**settings.described, "checks": settings.examination.run()}, ensure_ascii=False)
    answer: dict[str, Any] = client.post(CHECK_IN, readable(body).encode("utf-8"))[1]
    return answer


def _watch_on(client: Client, settings: WatchSettings, stopped: threading.Event) -> None:
    spool, failures = Spool(client.address, client.credential), 0
    while not stopped.is_set():
        began = time.monotonic()
        try:
            _check_in(client, settings)
        except (Away, Refused) as fault:
            failures += 1
            pause = retry_pause(settings.interval, failures, fault)
            if failures in (1, 10) or failures % 100 == 0:
                warn(f"not checked in ({failures} times): {fault}")
        else:
            if failures:
                warn(f"checked in after {failures} failures")
            failures = 0
            flush(client, spool, FLUSH_SECONDS)
            pause = max(1.0, settings.interval - (time.monotonic() - began))
        stopped.wait(pause)


def retry_pause(interval: float, failures: int, fault: Exception) -> float:
    """Returns the pause in seconds after this many failures: it doubles, up to the interval and `EXTRA_RETRY`.

    After an outage of the instance the next check-in must arrive within the interval and the grace. A random part
    prevents simultaneous requests of many watchers. A refusal lasts, so the longest pause follows.
    """
    longest = interval + EXTRA_RETRY
    if isinstance(fault, Refused):
        return longest
    requested = fault.retry_after if isinstance(fault, Away) else 0.0
    pause = min(max(FIRST_RETRY * 2.0 ** min(failures - 1, 20), requested), longest)
    return pause * random.uniform(0.8, 1.0)
