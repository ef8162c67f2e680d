"""The texts that are commands run as they are answered, against a real web process (specification 19.7)."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from agent import bundle
from inbox.config.settings import Settings
from inbox.models.events.tables import Event
from inbox.models.heartbeats.tables import HeartbeatMonitor, HeartbeatPing
from inbox.models.senders.sources import Source
from tests.api.events.test_snippets import run, texts
from tests.browser import Browser
from tests.cast import Cast, make_key, typeid
from tests.intake.payloads import payload
from tests.live.web import Web
from tests.runner.programs import needs_curl

pytestmark = needs_curl

Text = Callable[[str, str], str]
FAILED = {"CI_PIPELINE_ID": "31", "CI_COMMIT_REF_NAME": "main", "CI_PROJECT_ID": "15", "CI_PROJECT_PATH": "acme/shop",
          "CI_PROJECT_URL": "https://gl.example.org/acme/shop", "CI_DEFAULT_BRANCH": "main"}  # fmt: skip
BUILD = {"JOB_NAME": "team/shop", "BUILD_NUMBER": "18", "BUILD_URL": "https://ci.example.org/job/team/job/shop/18/"}
ZABBIX = """
const { execFileSync } = require("node:child_process");
class HttpRequest {
  headers = [];
  addHeader(header) { this.headers.push("-H", header); }
  getStatus() { return this.status; }
  post(address, body) {
    const options = ["-s", "-w", "\\n%{http_code}", ...this.headers, "-d", body, address];
    const lines = execFileSync("curl", options, { encoding: "utf8" }).split("\\n");
    this.status = Number(lines.pop());
    return lines.join("\\n");
  }
}
const [script, value] = JSON.parse(require("node:fs").readFileSync(0, "utf8"));
console.log(new Function("value", "HttpRequest", script)(value, HttpRequest));
"""


@pytest.fixture
def text(web: Web, cast: Cast, browser: Callable[[str], Browser], settings: Settings) -> Text:
    """A text of a kind with the address of the web process and a key."""
    found = texts(browser("vic"), typeid("src", cast.source.id), settings.base_url)

    def of(kind: str, name: str) -> str:
        address = f"http://127.0.0.1:{web.port}"
        return found[kind, name].replace("ADDRESS", address).replace("INBOX_KEY_HERE", cast.key)

    return of


def stored() -> list[tuple[str, str, str]]:
    return [(each.title, str(each.severity), each.dedup_key) for each in Event.select().order_by(Event.id)]


def in_shell(command: str, **environment: str) -> str:
    return run(["env", *(f"{name}={value}" for name, value in environment.items()), "sh", "-e"], command)


@pytest.mark.parametrize(
    ("kind", "event"),
    [("pagerduty", ("Disk is almost full", "ERROR", "pd:disk/db2")),
     ("opsgenie", ("Disk is almost full", "ERROR", "og:disk/db2")),
     ("cloudevents", ("The nightly backup failed", "ERROR", "ce:/backup/nas1:org.example.job.failed")),
     ("custom", ("DiskFull", "ERROR", "DiskFull"))],
)  # fmt: skip
def test_the_command_for_a_format_sends_an_event(text: Text, kind: str, event: tuple[str, str, str]) -> None:
    mapping = {"items": "alerts[*]", "title": {"template": "{name}"}, "dedup_key": {"template": "{name}"},
               "severity": {"template": "{level}"}}  # fmt: skip
    Source.update(mapping=mapping).execute()

    in_shell(text(kind, "curl"))

    assert stored() == [event]


def test_the_line_of_a_crontab_reports_a_failure_and_the_next_good_run(text: Text) -> None:
    lines = [line for line in text("events", "cron").splitlines() if not line.startswith("#")]
    variable, line = lines
    assert "%" not in line, "cron makes a line break of it"
    command = line.split(None, 5)[5]

    for job in ("false", "true"):
        printed = in_shell(command.replace("/usr/local/bin/backup", job), **dict([variable.split("=", 1)]))
        assert printed == "", "cron mails what a job prints"

    key = f"cron:{os.uname().nodename}:backup"
    assert stored() == [("Backup failed", "ERROR", key), ("Backup failed", "ERROR", key)]
    assert [event.action for event in Event.select().order_by(Event.id)] == ["trigger", "resolve"]


def pings() -> list[tuple[str, int | None, str]]:
    return [(ping.kind, ping.exit_code, ping.body) for ping in HeartbeatPing.select().order_by(HeartbeatPing.id)]


def test_the_command_with_a_ping_key_creates_a_monitor_and_sends_the_output(
    text: Text, cast: Cast, tmp_path: Path
) -> None:
    command = text("heartbeats", "curl").replace(cast.key, make_key(cast.source, kind="ping_key"))

    in_shell(f"cd {tmp_path}; {command}")

    assert pings() == [("start", None, ""), ("success", 0, "copied 17 files\n")]
    assert [(each.name, each.slug) for each in HeartbeatMonitor.select()] == [("backup", "backup")]


def test_the_line_of_a_crontab_with_a_ping_key_reports_the_exit_code(text: Text, cast: Cast) -> None:
    lines = text("heartbeats", "cron").replace(cast.key, make_key(cast.source, kind="ping_key")).splitlines()
    variable, line = [each for each in lines if not each.startswith("#")]
    assert "%" not in line, "cron makes a line break of it"
    command = line.split(None, 5)[5]

    for job in ("false", "true"):
        in_shell(f"set +e; {command.replace('/usr/local/bin/backup', job)}", **dict([variable.split("=", 1)]))

    assert pings() == [("fail", 1, ""), ("success", 0, "")]


@pytest.mark.parametrize("unit", ["backup.service", r"systemd-fsck@dev-disk-by\x2duuid-17.service"])
def test_the_unit_of_systemd_reports_a_service(text: Text, cast: Cast, tmp_path: Path, unit: str) -> None:
    found = text("events", "systemd")
    [line] = re.findall(r"^ExecStart=(.*)$", found, re.MULTILINE)
    assert "$" not in line and set(re.findall("%.", line)) == {"%i", "%H"}
    assert cast.key not in line, "everybody sees the arguments of a process"
    file, key = tmp_path / "inbox.py", tmp_path / "key"
    file.write_text(bundle.source())
    key.write_text(cast.key)
    # systemd takes the words apart first, and then replaces its specifiers.
    words = [word.replace("%i", unit).replace("%H", "nas") for word in shlex.split(line)]
    words = [word.replace("/usr/local/lib/inbox.py", str(file)).replace("/etc/inbox.key", str(key)) for word in words]

    run(["env", f"INBOX_SPOOL={tmp_path}", sys.executable, *words[1:]], "")

    assert stored() == [(f"{unit} has failed", "ERROR", f"systemd:nas:{unit}")]


def test_the_workflow_of_github_actions_reports_a_run(text: Text, cast: Cast, tmp_path: Path) -> None:
    [step] = yaml.safe_load(text("github", "actions"))["jobs"]["inbox"]["steps"]
    event = tmp_path / "event.json"
    event.write_text(json.dumps(payload("github", "alarm")))
    assert step["env"] == {"INBOX_KEY": "${{ secrets.INBOX_KEY }}"}

    in_shell(step["run"], INBOX_KEY=cast.key, GITHUB_EVENT_PATH=str(event))

    assert stored() == [("ci of acme/shop (main) failed", "ERROR", "gh:acme/shop:7:main")]


def test_the_jobs_of_gitlab_report_a_failed_and_a_passed_pipeline(text: Text, cast: Cast) -> None:
    jobs: dict[str, Any] = yaml.safe_load(text("gitlab", "ci"))
    [script] = jobs[".inbox"]["script"]

    for name in ("inbox-failed", "inbox-passed"):
        assert jobs[name]["extends"] == ".inbox"
        in_shell(script, INBOX_KEY=cast.key, **FAILED, **jobs[name]["variables"])

    key = "gl:15:pipeline:main"
    assert stored() == [("Pipeline of acme/shop (main) failed", "ERROR", key),
                        ("Pipeline of acme/shop (main) passed", "SUCCESS", key)]  # fmt: skip


def test_the_pipeline_of_jenkins_reports_a_failed_an_aborted_and_a_green_build(text: Text, cast: Cast) -> None:
    steps = dict(re.findall(r"(\w+) \{ sh '''(.*?)''' \}", text("jenkins", "pipeline"), re.DOTALL))
    assert list(steps) == ["failure", "aborted", "success"]
    assert "\\" not in "".join(steps.values()), "Groovy reads it"

    for script in steps.values():
        in_shell(script, INBOX_KEY=cast.key, **BUILD)

    key = "jenkins:ci.example.org:job/team/job/shop"
    assert stored() == [
        ("team/shop failed", "ERROR", key),
        ("team/shop was aborted", "WARNING", key),
        ("team/shop passed", "SUCCESS", key),
    ]


def test_the_media_type_of_zabbix_reports_a_problem(text: Text) -> None:
    node = shutil.which("node", path=f"{Path(sys.executable).parent}:{os.environ['PATH']}")
    if node is None:
        pytest.skip("node is not installed")
    document = payload("zabbix", "alarm")
    [media_type] = yaml.safe_load(text("zabbix", "zabbix"))["zabbix_export"]["media_types"]
    given = {each["name"]: each["value"] for each in media_type["parameters"]}
    value = json.dumps({**given, **document, "tags": json.dumps(document["tags"])})

    printed = run([node, "-e", ZABBIX], json.dumps([media_type["script"], value]))

    assert printed == "OK\n"
    assert stored() == [("High CPU on db2", "ERROR", "zbx:8123")]
