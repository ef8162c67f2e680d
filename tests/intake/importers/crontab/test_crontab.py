"""Crontabs: each line becomes a heartbeat monitor and a line that pings it (specification 22.4)."""

from __future__ import annotations

import subprocess

import pytest

from inbox.intake.importers import crontab, plan
from inbox.intake.importers.plan import PING_URL, Item, Plan


def read(text: str, *, timezone: str = "UTC", has_user: bool = False) -> Plan:
    return crontab.read(text, timezone=timezone, has_user=has_user)


def monitors(text: str, **more: str) -> list[Item]:
    return [item for item in read(text, **more).items if item.kind is plan.ItemKind.MONITOR]


def schedule(text: str, **more: str) -> tuple[str, str]:
    [monitor] = monitors(text, **more)
    stored = monitor.fields["schedule"]
    return stored["expression"], stored["timezone"]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("0 3 * * * backup", "0 3 * * *"),
        ("@daily backup", "0 0 * * *"),
        ("@hourly backup", "0 * * * *"),
        ("@weekly backup", "0 0 * * 0"),
        ("@monthly backup", "0 0 1 * *"),
        ("@yearly backup", "0 0 1 1 *"),
        ("*/5 8-18 * * mon-fri backup", "*/5 8-18 * * mon-fri"),
        ("0\t4  1,15 * 7 backup", "0 4 1,15 * 7"),
    ],
)
def test_a_line_has_its_schedule(line: str, expected: str) -> None:
    assert schedule(line) == (expected, "UTC")


def test_cron_tz_holds_for_the_lines_after_it() -> None:
    found = monitors('0 1 * * * a\nCRON_TZ=Europe/Berlin\n0 2 * * * b\nCRON_TZ = "Asia/Tokyo"\n0 3 * * * c')

    assert [each.fields["schedule"]["timezone"] for each in found] == ["UTC", "Europe/Berlin", "Asia/Tokyo"]
    assert schedule("0 1 * * * a", timezone="Europe/Paris")[1] == "Europe/Paris"


def test_an_unknown_zone_is_a_warning_and_the_zone_before_it_holds() -> None:
    made = read("CRON_TZ=Mars/Base\n0 1 * * * a")

    assert "Mars/Base is no known time zone" in made.warnings[0]
    assert made.items[1].fields["schedule"]["timezone"] == "UTC"


def test_comments_settings_and_empty_lines_become_nothing() -> None:
    assert monitors("# a comment\n\nMAILTO=root\nPATH = /bin\n   # 0 1 * * * a") == []


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("@reboot start", "@reboot has no schedule"),
        ("@fortnightly start", "unknown"),
        ("0 0 L * * start", "L is not supported. Column 5."),
        ("0 0 15W * * start", "W is not supported. Column 7."),
        ("0~30 * * * * start", "~ is not supported. Column 2."),
        ("0 0 * * 5#2 start", "# is not supported. Column 10."),
        ("61 * * * * start", "The minute field is invalid. Column 1."),
        ("0 0 30 2 * start", "No day of the calendar"),
        ("0 0 *", "too few fields"),
        ("0 3 * * * # nothing", "no command"),
    ],
)
def test_a_line_without_a_schedule_that_a_monitor_can_have_is_left_out_with_the_reason(line: str, reason: str) -> None:
    made = read(line)

    assert [item.kind for item in made.items] == [plan.ItemKind.SOURCE]
    assert made.left_out[0].name.startswith("Line 1") and reason in made.left_out[0].reason


def test_the_field_of_the_user_is_no_part_of_the_command() -> None:
    made = read("0 3 * * * root /usr/local/bin/backup.sh --all", has_user=True)

    assert made.items[1].name == "backup.sh"
    assert made.items[1].snippet == (
        f'0 3 * * * root ( /usr/local/bin/backup.sh --all ); curl -fsS -m 10 --retry 5 -o /dev/null "{PING_URL}/$?"'
    )


@pytest.mark.parametrize(
    ("command", "job", "comment"),
    [
        ("backup # nightly", "backup", "# nightly"),
        ("backup;# nightly 100%", "backup;", "# nightly 100%"),
        ('echo \'a # b\' "c # \\" # d" # e', 'echo \'a # b\' "c # \\" # d"', "# e"),
        ("echo $# ${x#y} a#b \\# \\ # c", "echo $# ${x#y} a#b \\# \\ # c", ""),
        ("(cd /x && run) #x", "(cd /x && run)", "#x"),
    ],
)
def test_the_ping_stands_before_a_comment(command: str, job: str, comment: str) -> None:
    [monitor] = monitors(f"30 2 * * * {command}")

    ping = f'curl -fsS -m 10 --retry 5 -o /dev/null "{PING_URL}/$?"'
    assert (monitor.snippet, monitor.warnings) == (f"30 2 * * * ( {job} ); {ping} {comment}".strip(), ())
    line = monitor.snippet.removeprefix("30 2 * * * ")
    assert subprocess.run(["sh", "-n", "-c", line], check=False).returncode == 0


@pytest.mark.parametrize(
    ("when", "seconds"), [("* * * * *", 300), ("0 * * * *", 360), ("0 3 * * *", 8640), ("0 0 * * 0", 60480)]
)
def test_the_grace_is_a_tenth_of_the_period_and_at_least_five_minutes(when: str, seconds: int) -> None:
    [monitor] = monitors(f"{when} a")

    assert monitor.fields["grace_seconds"] == seconds


def test_references_follow_the_command_and_names_are_unique() -> None:
    first = monitors("0 3 * * * backup\n0 4 * * * backup\n0 5 * * * other")
    moved = monitors("0 9 * * * backup\n0 4 * * * other\n0 4 * * * backup")

    assert [each.name for each in first] == ["backup", "backup (2)", "other"]
    assert {each.reference for each in first} == {each.reference for each in moved}
    assert len({each.reference for each in first}) == 3


@pytest.mark.parametrize(("count", "items"), [(498, 499), (499, 500), (500, 500)])
def test_a_plan_has_at_most_500_items(count: int, items: int) -> None:
    made = read("".join(f"0 3 * * * job{n}\n" for n in range(count)))

    assert (len(made.items), bool(made.warnings)) == (items, count == 500)
