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
_ASSIGNMENT = re.compile(r"(?:[A-Za-z_][A-Za-z0-9_]*=(?:\"[^\"]*\"|'[^']*'|\S*)\s+)+")
_WORD = re.compile(r"[\w./-]+")
_SHELL_TOKEN = re.compile(
    r"""\\.\#*|'[^']*'|"(?:\\.|[^"\\])*"|(?P<input>%)|(?P<comment>(?<![^\s;&|()])\#)|.""", re.DOTALL
)
"""Matches a quoted part, the `%` that ends the command, the `#` that begins a comment, or any other character."""

_UNESCAPED_PERCENT = re.compile(r"(?<!\\)%")
_UNSUPPORTED = re.compile(r"[~LW#]")
_PERIODS = 4


@dataclass(frozen=True, slots=True)
class _Line:
    number: int
    when: str
    user: str
    command: str
    timezone: str


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
    for number, raw in enumerate(text.splitlines(), 1):
        content = raw.strip()
        if not content or content.startswith("#"):
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
        yield _Line(number, " ".join(parts[:size]), user, parts[-1], timezone)


def _zone(name: str, before: str, number: int, made: Plan) -> str:
    if plan.is_zone(name):
        return name
    made.warn(f"Line {number}: {plan.line(name)} is no known time zone. The lines after it are read in {before}.")
    return before


def _add(made: Plan, each: _Line, seen: Counter[str]) -> None:
    if not _without_comment(each.command)[0]:
        made.leave_out(_place(each), "The line has no command.")
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
    name = made.unique(_name(each.command))
    made.add(
        Item(
            ItemKind.MONITOR,
            f"crontab:{digest}:{seen[digest]}",
            name,
            f"{plan.words(stored)}, with {seconds // 60} min of grace.",
            {"name": name, "schedule": stored, "grace_seconds": seconds},
            source=SOURCE,
            snippet=_snippet(each),
            warnings=_warnings(each),
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


def _name(command: str) -> str:
    """Returns the program and its first argument that is no option, without values that may be secret."""
    bare = _ASSIGNMENT.sub("", command, count=1) if _ASSIGNMENT.match(command) else command
    first, *rest = bare.split() or ["job"]
    program = first.rsplit("/", 1)[-1]
    more = next((word for word in rest[:1] if _WORD.fullmatch(word) and not word.startswith("-")), "")
    return f"{program} {more.rsplit('/', 1)[-1]}".strip() or "job"


def _snippet(each: _Line) -> str:
    fields = " ".join(filter(None, (each.when, each.user)))
    ping = f'curl -fsS -m 10 --retry 5 -o /dev/null "{PING_URL}/$?"'
    command, comment = _without_comment(each.command)
    return f"{fields} ( {command} ); {ping} {comment}".strip()


def _without_comment(command: str) -> tuple[str, str]:
    """Splits the command from its comment, so that a ping is not commented out. Quotes follow the shell's rules."""
    for token in _SHELL_TOKEN.finditer(command):
        if token["input"]:
            break
        if token["comment"]:
            return command[: token.start()].strip(), command[token.start() :]
    return command, ""


def _warnings(each: _Line) -> tuple[str, ...]:
    if _UNESCAPED_PERCENT.search(_without_comment(each.command)[0]):
        return ("An unescaped % ends the command of a crontab line. Write the ping before it.",)
    return ()


def _place(each: _Line) -> str:
    return f"Line {each.number}: {_name(each.command)}"


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
