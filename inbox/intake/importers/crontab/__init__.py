"""Reads a crontab: each line becomes a heartbeat monitor and a line that pings it (specification 22.4)."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import pairwise

from inbox.domain.heartbeats import schedule
from inbox.intake.importers import plan
from inbox.intake.importers.crontab.names import name_of
from inbox.intake.importers.import_kind import ImportForm, ImportKind
from inbox.intake.importers.plan import PING_URL, Item, ItemKind, Plan

SOURCE = "crontab"
MOST_JOBS = 1_000
"""The maximum number of lines with a schedule that are read, including those that are left out."""

_SETTING = re.compile(r"""([A-Za-z_][A-Za-z0-9_]*)\s*=\s*(?:"([^"]*)"|'([^']*)'|(.*))$""")
_NICKNAMES = {
    "@yearly": "0 0 1 1 *",
    "@annually": "0 0 1 1 *",
    "@monthly": "0 0 1 * *",
    "@weekly": "0 0 * * 0",
    "@daily": "0 0 * * *",
    "@midnight": "0 0 * * *",
    "@hourly": "0 * * * *",
}
_COMMAND = re.compile(r"(?:[^\\%]|\\.?)*+", re.DOTALL)
"""Matches up to the first `%` that is not escaped. Quotes do not matter: cron ends the command there."""

_SHELL_TOKEN = re.compile(
    r"""\\.\#*|'[^']*'|"(?:\\.|[^"\\])*"|(?P<open>['"])|(?P<comment>(?<![^\s;&|()])\#)|(?P<pipe>(?<![|>])\|(?!\|))|&&|.""",
    re.DOTALL,
)
"""Matches a quoted part, a quote without an end, the `#` that begins a comment, a pipe, or any other character."""

_UNSUPPORTED = re.compile(r"[~LW#]")
_PERIODS = 4


@dataclass(frozen=True, slots=True)
class _Line:
    number: int
    when: str
    user: str
    command: str
    timezone: str
    column: int = 1
    """The column of the command."""

    above: str = ""
    """The comment in the line above."""


class _BadCommand(Exception):
    """A ping cannot follow the command, for this reason."""


@dataclass(frozen=True, slots=True)
class _Job:
    """The parts of a command: what the shell runs, its comment, and its standard input with the `%` before it."""

    command: str
    comment: str = ""
    input: str = ""
    warnings: tuple[str, ...] = ()


def read(text: str, *, timezone: str, has_user: bool) -> Plan:
    """Returns the plan of a crontab.

    With `has_user`, a field after the schedule names the user, as in `/etc/crontab`.
    """
    made = Plan()
    made.add(plan.source(SOURCE, "Cron", "A source for the heartbeat monitors of the crontab."))
    seen: Counter[str] = Counter()
    for number, each in enumerate(_lines(text, made, timezone, has_user=has_user)):
        if made.is_full or number == MOST_JOBS:
            made.warn(f"Line {each.number} and those after it are not read: at most {plan.MAX_ITEMS - 1} monitors.")
            break
        _add(made, each, seen)
    return made


def _lines(text: str, made: Plan, timezone: str, *, has_user: bool) -> Iterator[_Line]:
    above, comment = "", ""
    for number, raw in enumerate(text.splitlines(), 1):
        content = raw.strip()
        above, comment = comment, ""
        if not content or content.startswith("#"):
            comment = plan.line(content.lstrip("# "))
            continue
        if setting := _SETTING.match(content):
            if setting[1] == "CRON_TZ":
                timezone = _zone(setting[2] or setting[3] or (setting[4] or "").strip(), timezone, number, made)
            continue
        parts = content.split(None, (1 if content.startswith("@") else 5) + has_user)
        size = 1 if content.startswith("@") else 5
        if len(parts) != size + has_user + 1:
            made.leave_out(f"Line {number}", "The line has too few fields.")
            continue
        user = parts[size] if has_user else ""
        column = len(raw.rstrip()) - len(parts[-1]) + 1
        yield _Line(number, " ".join(parts[:size]), user, parts[-1], timezone, column, above)


def _zone(name: str, before: str, number: int, made: Plan) -> str:
    if plan.is_zone(name):
        return name
    made.warn(f"Line {number}: {plan.line(name)} is no known time zone. The lines after it are read in {before}.")
    return before


def _add(made: Plan, each: _Line, seen: Counter[str]) -> None:
    try:
        job = _job(each)
    except _BadCommand as reason:
        made.leave_out(_place(each), str(reason))
        return
    if each.when == "@reboot":
        made.leave_out(_place(each), "A line with @reboot has no schedule.")
        return
    try:
        expression = _expression(each.when)
    except schedule.BadExpression as fault:
        made.leave_out(_place(each), f"{fault} Column {fault.start + 1}.")
        return
    digest = hashlib.sha256(f"{each.user}\0{each.command}".encode("utf-8", "replace")).hexdigest()[:24]
    seen[digest] += 1
    stored = {"kind": "cron", "expression": expression, "timezone": each.timezone}
    seconds = _grace(expression, each.timezone)
    name = made.unique(name_of(job.command, each.above))
    made.add(
        Item(
            ItemKind.MONITOR,
            f"crontab:{digest}:{seen[digest]}",
            name,
            f"{plan.words(stored)}, with {seconds // 60} min of grace.",
            {"name": name, "schedule": stored, "grace_seconds": seconds},
            source=SOURCE,
            snippet=_snippet(each, job),
            warnings=job.warnings,
        )
    )


def _expression(when: str) -> str:
    expression = _NICKNAMES.get(when.lower(), when)
    if expression.startswith("@"):
        raise schedule.BadExpression(f"{plan.line(when)} is unknown.", 0, len(when))
    for field in re.finditer(r"\S+", expression):
        letters = re.sub(r"[A-Za-z]{3}", "", field[0])
        if found := _UNSUPPORTED.search(letters):
            at = field.start() + field[0].index(found[0])
            raise schedule.BadExpression(f"{found[0]} is not supported.", at, at + 1)
    return schedule.normalized(expression)


def _grace(expression: str, timezone: str) -> int:
    """Returns a tenth of the shortest of the next periods, in whole minutes and at least five."""
    runs = schedule.CronSchedule(expression, timezone).runs(datetime(2026, 1, 1, tzinfo=UTC))
    gaps = [later - sooner for sooner, later in pairwise(next(runs) for _ in range(_PERIODS))]
    tenth = min(gaps, default=timedelta(days=1)) // 10
    return max(300, int(tenth.total_seconds()) // 60 * 60)


def _snippet(each: _Line, job: _Job) -> str:
    fields = " ".join(filter(None, (each.when, each.user)))
    ping = f'curl -fsS -m 10 --retry 5 -o /dev/null "{PING_URL}/$?"'
    return f"{fields} ( {job.command} ); {ping} {job.comment}".strip() + job.input


def _job(each: _Line) -> _Job:
    """Splits a command so that a ping stands before its comment and its input. Quotes follow the shell's rules."""
    found = _COMMAND.match(each.command)
    run = found[0] if found else ""
    sent = each.command[len(run) :]
    command, comment, has_pipe = run.strip(), "", False
    for token in _SHELL_TOKEN.finditer(run):
        if token["open"] and sent:
            raise _BadCommand(f"The % in column {each.column + len(run)} ends the command inside quotes. Write \\%.")
        if token["open"]:
            raise _BadCommand(f"The quotes in column {each.column + token.start()} do not end.")
        has_pipe = has_pipe or token["pipe"] is not None
        if token["comment"]:
            command, comment = run[: token.start()].strip(), run[token.start() :]
            break
    if not command:
        raise _BadCommand("The line has no command.")
    return _Job(command, comment, sent, tuple(_warnings(command, "" if comment else sent, has_pipe=has_pipe)))


def _warnings(command: str, sent: str, *, has_pipe: bool) -> Iterator[str]:
    if sent:
        yield "An unescaped % ends the command. What follows it is its input, so the ping stands before it."
    if has_pipe:
        yield "A pipe reports only the exit status of its last command, so the monitor does not see the others fail."
    if command.endswith("&") and not command.endswith("&&"):
        yield "The command runs in the background, so the monitor does not see it fail."


def _place(each: _Line) -> str:
    return f"Line {each.number}: {name_of(each.command, each.above)}"


IMPORT = ImportKind(
    "crontab",
    "crontab",
    "Each line becomes a heartbeat monitor, and a line that pings it.",
    "The output of `crontab -l`, or a file of /etc/cron.d with the names of users.",
    (ImportForm.DOCUMENT,),
    lambda text, options: read(text, timezone=options.timezone, has_user=options.has_user),
    has_schedules=True,
    position=10,
)
