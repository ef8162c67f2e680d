"""The lines that an import of a crontab prints: input, quotes, pipes, and the names of jobs (specification 22.4)."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from inbox.intake.importers import crontab, plan
from inbox.intake.importers.plan import PING_URL, Item
from tests.database.call_counts import calls_of

PING = f'curl -fsS -m 10 --retry 5 -o /dev/null "{PING_URL}/$?"'


def monitor(command: str, above: str = "") -> Item:
    [item] = [
        each
        for each in crontab.read(f"{above}\n0 3 * * * {command}", timezone="UTC", has_user=False).items
        if each.kind is plan.ItemKind.MONITOR
    ]
    return item


def run_by_cron(line: str, bin_folder: Path) -> None:
    """Runs a line as cron does: the first `%` that is not escaped ends the command, and the others are line breaks."""
    command, escaped, place = "", False, 0
    for place, character in enumerate(line):
        if character == "%" and not escaped:
            break
        if escaped and character == "%":
            command = command[:-1]
        command += character
        escaped = character == "\\" and not escaped
    else:
        place = len(line)
    sent = line[place + 1 :].replace("%", "\n")
    environment = {"PATH": f"{bin_folder}:{os.environ['PATH']}"}
    subprocess.run(["sh", "-c", command], input=sent.encode(), env=environment, check=False)


@pytest.mark.parametrize(
    ("command", "output"),
    [
        ("cat > {0}/out%hello%world", "hello\nworld"),
        ("cat > {0}/out %a 'b", "a 'b"),
        ("cat > {0}/out # note %x", "x"),
        (r"echo '100\% # done' > {0}/out # c", "100% # done\n"),
        (r'echo "at \%H" && echo \%F > {0}/out', "%F\n"),
        ("echo a > {0}/out ; # only a comment", "a\n"),
        ("echo hi > {0}/out &", "hi\n"),
        ("false", None),
    ],
)
def test_a_printed_line_does_its_job_and_pings(tmp_path: Path, command: str, output: str | None) -> None:
    curl = tmp_path / "curl"
    curl.write_text(f'#!/bin/sh\nfor last; do :; done\necho "$last" >> {tmp_path}/pings\n')
    curl.chmod(0o755)

    run_by_cron(monitor(command.format(tmp_path)).snippet.removeprefix("0 3 * * * "), tmp_path)

    assert (tmp_path / "pings").read_text() == f"{PING_URL}/{int(output is None)}\n"
    assert output is None or (tmp_path / "out").read_text() == output


def test_the_ping_stands_before_the_input_of_a_job() -> None:
    item = monitor("cat > /tmp/out%hello%world")

    assert item.snippet == f"0 3 * * * ( cat > /tmp/out ); {PING}%hello%world"
    assert "before it" in item.warnings[0]


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ('0 3 * * * bash -c "echo 100% done"', "The % in column 28 ends the command inside quotes. Write \\%."),
        ("  0 3 * * *  date '+%F'", "The % in column 21 ends"),
        ("0 3 * * * echo 'open", "The quotes in column 16 do not end."),
        ("0 3 * * * %input", "no command"),
    ],
)
def test_a_line_that_no_ping_can_follow_is_left_out_with_its_column(line: str, reason: str) -> None:
    made = crontab.read(line, timezone="UTC", has_user=False)

    assert len(made.items) == 1 and reason in made.left_out[0].reason
    assert "column" not in reason or line[int(reason.split("column ")[1].split()[0]) - 1] in "%'"


@pytest.mark.parametrize(
    ("command", "warnings"),
    [
        ("pg_dump db | gzip > /b", ["A pipe reports only the exit status of its last command"]),
        ("a || b", []),
        ("a >| b", []),
        ("echo 'a | b' \"c | d\" e\\|f", []),
        ("a # b | c", []),
        ("job &", ["The command runs in the background"]),
        ("a && b", []),
    ],
)
def test_a_line_whose_exit_status_says_little_has_a_warning(command: str, warnings: list[str]) -> None:
    found = monitor(command).warnings

    assert len(found) == len(warnings) and all(map(str.startswith, found, warnings))


@pytest.mark.parametrize(
    ("command", "name"),
    [
        ("/opt/app/bin/rake db:backup", "rake"),
        ("PASSWORD=hunter2 /opt/dump --password hunter2", "dump"),
        ("A='x y' B=z nightly report", "nightly report"),
        ("curl -H 'Authorization: s3cret' https://u:p@example.org", "curl"),
        ("/usr/bin/run-parts /etc/cron.weekly", "run-parts cron.weekly"),
        ("cd /srv/app && /srv/app/venv/bin/python manage.py send_mails --token abc >> /l 2>&1", "manage.py send_mails"),
        ("cd /; backup", "backup"),
        ("test -x /usr/sbin/anacron || ( cd / && run-parts --report /etc/cron.daily )", "run-parts cron.daily"),
        ("[ -f /x ] && /usr/lib/php/sessionclean", "sessionclean"),
        ("[[ -f /x ]] && tidy", "tidy"),
        ("if [ -x /a ]; then /a/b all; fi", "b all"),
        ("if ! mountpoint /srv; then mount /srv; fi", "mountpoint srv"),
        ("flock -n /tmp/l nice -n 19 /usr/local/bin/backup.sh --all", "backup.sh"),
        ("flock -w 5 /tmp/l -c 'cd /x && job one'", "job one"),
        ("nice -19 ionice -c3 backup", "backup"),
        ("sleep 30; /usr/bin/php /var/www/artisan schedule:run", "artisan"),
        ("sleep $((RANDOM % 60)) && certbot renew -q".replace("%", r"\%"), "certbot renew"),
        ('bash -c "restic backup /srv; echo done"', "restic backup"),
        ("/bin/bash -lc 'export A=1; exec report'", "report"),
        ("/bin/sh /opt/tidy.sh", "tidy.sh"),
        ("sudo -u www-data python3 -m reports.daily", "reports.daily"),
        ("timeout 60 env A=b job", "job"),
        ("php -r 'echo 1;'", "php"),
        ("python3", "python3"),
        ("su - app -c 'cd /x; tidy all'", "tidy all"),
        ("(true; work)", "work"),
        ("docker exec -t -u app db pg_dumpall -U postgres | gzip > /b", "pg_dumpall"),
        ("/bin/work ; # only a comment", "work"),
        ("/usr/bin/certbot renew -q > /dev/null 2>&1", "certbot renew"),
        ("job 2>&1 | logger", "job"),
    ],
)
def test_a_name_has_the_program_behind_what_prepares_it(command: str, name: str) -> None:
    assert monitor(command).name == name


@pytest.mark.parametrize(
    ("command", "above", "name"),
    [
        ("sleep 30", "# Wait a little", "Wait a little"),
        ("sleep 30", "", "sleep 30"),
        ("sleep 30", "# m h  dom mon dow   command", "sleep 30"),
        ("sleep 30", "# Wait\n", "sleep 30"),
        ("backup", "# Nightly", "backup"),
        ("test -f /srv/x --password hunter2=", "", "test -f /srv/x --password"),
        ('bash -c "sleep 5"', "# Sleep a while", "Sleep a while"),
    ],
)
def test_a_line_without_a_program_is_named_by_the_comment_above_or_as_a_whole(
    command: str, above: str, name: str
) -> None:
    assert monitor(command, above).name == name


@pytest.mark.parametrize("part", ["nice ", "bash -c '", "'", '"', "\\", "%", "a|", "(", "if ", "A=b ", "2>&1 ", "#"])
def test_names_and_lines_of_odd_commands_cost_little(part: str) -> None:
    text = "0 3 * * * x " + part * 30_000

    assert calls_of(lambda: crontab.read(text, timezone="UTC", has_user=False)) < 20 * len(text)
