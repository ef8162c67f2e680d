"""`bin/inbox` as an operator runs it: a separate process, its output, and its changes in the database."""

from __future__ import annotations

import base64
import json
from datetime import timedelta
from pathlib import Path

import pytest

from cli.__main__ import main
from inbox.config.settings import Settings
from inbox.config.unknown import unknown_settings
from inbox.database.base import new_id
from inbox.domain.senders import keys
from inbox.models.events.tables import Event
from inbox.models.people.accounts import Session, User
from inbox.models.people.factors import TotpFactor
from inbox.models.people.members import Member
from inbox.models.records.audit import AuditEntry
from inbox.models.senders.sources import Source, SourceKey
from inbox.models.workspaces.tables import Workspace
from inbox.runtime.queue import job_queues
from inbox.services.people import passwords
from tests.cast import Cast, present, typeid
from tests.database.stored import store
from tests.live.web import Web
from tests.ops.conftest import Run
from tests.stand_ins.outgoing_posts import make_destination

PROJECT = Path(__file__).parent.parent.parent
GOOD = "a-long-phrase-of-my-own"
pytestmark = pytest.mark.slow


@pytest.mark.parametrize(
    "words",
    [
        "", "user", "user create", "user reset-password", "user make-admin", "user list", "source", "source create",
        "source list", "source rotate-key", "source revoke-key", "seal rotate", "purge", "migrate", "queues", "demo",
        "doctor", "setup-link", "events", "events quarantined", "events release", "tail",
    ],
)  # fmt: skip
def test_each_command_says_how_it_is_used(words: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main([*words.split(), "--help"])

    assert ended.value.code == 0
    assert capsys.readouterr().out.startswith(f"usage: bin/inbox {words}".rstrip())


def test_a_command_that_is_none_is_wrong_usage(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["nonsense"])

    assert ended.value.code == 2 and "nonsense" in capsys.readouterr().err


def test_a_migration_that_fails_says_why(inbox: Run, beside: dict[str, str]) -> None:
    read_only = f"{beside['DATABASE_URL']}&options=-cdefault_transaction_read_only%3Don"
    failed = inbox("migrate", more={"DATABASE_URL": read_only})

    assert failed.returncode == 1
    assert failed.stderr.startswith("The database cannot be reached or migrated: "), failed.stderr
    assert "read-only transaction" in failed.stderr


def test_an_account_is_made_and_its_password_goes_in_unseen(inbox: Run) -> None:
    made = inbox("user", "create", "Nora@example.org", "--admin", "--password-stdin", stated=GOOD + "\n")

    assert made.returncode == 0, made.stderr
    nora = User.get(User.email_key == "nora@example.org")
    assert (nora.is_instance_admin, nora.name) == (True, "Nora")
    assert passwords.matches(nora.password_hash, GOOD)
    assert GOOD not in made.stdout + made.stderr
    assert Member.get(Member.user == nora).workspace.name == "Home"
    entry = AuditEntry.get(AuditEntry.action == "account.created")
    assert entry.actor == {"type": "system", "id": "", "name": "bin/inbox"}


def test_an_invalid_user_is_refused_with_a_reason(inbox: Run) -> None:
    twice = inbox("user", "create", "OLGA@example.org", "--password-stdin", stated=GOOD + "\n")
    weak = inbox("user", "create", "new@example.org", "--password-stdin", stated="password\n")
    unasked = inbox("user", "create", "new@example.org")
    bad = inbox("user", "create", "nobody", "--generate")

    assert [each.returncode for each in (twice, weak, unasked, bad)] == [1, 1, 1, 1]
    assert "address already exists" in twice.stderr and "--password-stdin" in unasked.stderr
    assert "not an email address" in bad.stderr and weak.stderr.strip()
    assert User.select().count() == 5


def test_a_new_password_signs_out_and_may_remove_the_factors(inbox: Run, cast: Cast) -> None:
    cast.cookie("mia")
    TotpFactor.create(user=cast.users["mia"], sealed=b"x", created_at=present(), confirmed_at=present())

    done = inbox("user", "reset-password", "mia@example.org", "--generate", "--remove-factors")

    assert done.returncode == 0, done.stderr
    secret = done.stdout.rpartition(": ")[2].strip()
    assert passwords.matches(User.get_by_id(cast.users["mia"].id).password_hash, secret)
    assert Session.get().revoked_at is not None and TotpFactor.select().count() == 0
    assert inbox("user", "reset-password", "nobody@example.org", "--generate").returncode == 1


def test_a_user_is_made_administrator_and_listed_as_one(inbox: Run) -> None:
    assert inbox("user", "make-admin", "adam@example.org").returncode == 0

    listed = json.loads(inbox("user", "list", "--json").stdout)

    assert {each["email"]: each["admin"] for each in listed}["adam@example.org"] is True
    assert "adam@example.org" in inbox("user", "list").stdout


def test_the_command_manages_a_source_and_its_keys(inbox: Run, cast: Cast) -> None:
    unsaid = inbox("source", "create", "Backups")
    made = inbox("source", "create", "Backups", "--workspace", "acme", "--json")

    assert (unsaid.returncode, "--workspace" in unsaid.stderr) == (1, True)
    (row,) = json.loads(made.stdout)
    key = SourceKey.get(SourceKey.hash == keys.digest(row["key"]))
    assert Source.get_by_id(key.source_id).name == "Backups" and key.created_by_id is None

    (rotated,) = json.loads(inbox("source", "rotate-key", row["keyId"], "--json").stdout)
    assert inbox("source", "revoke-key", row["keyId"]).returncode == 0
    listed = inbox("source", "list", "--json", "--workspace", typeid("wsp", cast.workspace.id))
    states = {each["keyId"]: each["state"] for each in json.loads(listed.stdout)}
    assert (states[row["keyId"]], states[rotated["keyId"]]) == ("revoked", "good")
    assert row["key"] not in listed.stdout
    assert inbox("source", "rotate-key", row["keyId"]).returncode == 1
    assert inbox("source", "revoke-key", "key_nonsense").returncode == 1


def test_the_purge_counts_first_and_then_removes(inbox: Run, cast: Cast) -> None:
    at = present() - timedelta(days=40)
    store(
        workspace_id=cast.workspace.id, id=new_id(at), source_id=cast.source.id, received_at=at, occurred_at=at,
        disposition="logged",
    )  # fmt: skip

    assert json.loads(inbox("purge", "--dry-run", "--json").stdout) == []
    reported = json.loads(inbox("purge", "--dry-run", "--older-than", "30", "--json").stdout)
    assert reported == [{"table": "received_events", "rows": 1}, {"table": "routed_events", "rows": 1}]
    assert Event.select().count() == 1
    assert "2 rows were removed" in inbox("purge", "--older-than", "30").stdout
    assert Event.select().count() == 0
    assert inbox("purge", "--older-than", "soon").returncode == 2


def test_the_key_ring_is_rotated(inbox: Run, cast: Cast, settings: Settings) -> None:
    make_destination(cast.workspace, "http://127.0.0.1:9/")
    both = {"INBOX_SECRET_KEYS": "k2:" + _key(b"2") + "," + settings.secret_keys}

    counted = inbox("seal", "rotate", "--dry-run", "--json", more=both)
    done = inbox("seal", "rotate", more=both)
    alone = inbox("seal", "rotate", "--json", more={"INBOX_SECRET_KEYS": "k2:" + _key(b"2")})
    lost = inbox("seal", "rotate", more={"INBOX_SECRET_KEYS": "k3:" + _key(b"3")})

    assert {row["table"]: row["underOlderKey"] for row in json.loads(counted.stdout)}["destinations"] == 1
    assert done.returncode == 0 and "Complete" in done.stdout
    assert alone.returncode == 0
    assert lost.returncode == 1 and "Not complete" in lost.stdout


def test_the_queues_and_doctor_commands_print_plain_sentences(inbox: Run) -> None:
    queues, doctor = inbox("queues", "--json"), inbox("doctor", more={"INBOX_BASE_ULR": "https://canary.example.org"})

    assert {row["what"] for row in json.loads(queues.stdout)} >= {"events to route", "deliveries retrying"}
    assert doctor.returncode == 1  # no worker runs here
    assert "INBOX_BASE_ULR is no setting and is ignored" in doctor.stdout and "canary" not in doctor.stdout
    assert (
        "No worker is running." in doctor.stdout
        and "Start bin/worker" in doctor.stdout
        and "are those of this version" in doctor.stdout
    )


def test_doctor_names_the_limit_of_a_redis_that_takes_no_writes_and_starts_nothing(inbox: Run) -> None:
    redis = job_queues().redis
    redis.config_set("maxmemory", 1)
    try:
        doctor = inbox("doctor", "--json")
    finally:
        redis.config_set("maxmemory", 0)

    for part in ("workers", "scheduler", "feed"):
        state, stated = _finding(doctor.stdout, part)
        assert state != "ok" and "maxmemory" in stated and "Start bin/" not in stated, part


def test_doctor_finds_settings_with_unknown_names_and_shows_no_value(inbox: Run) -> None:
    strange = {"INBOX_BASE_ULR": "https://canary.example.org", "INBOX_QUX": "canary"}
    existing, unknown = (inbox("doctor", "--json", more=more) for more in ({}, strange))

    assert _finding(existing.stdout, "settings") == ("ok", "all are known")
    state, stated = _finding(unknown.stdout, "settings")
    assert (state, stated) == ("degraded", " ".join(unknown_settings(strange))) and "mean INBOX_BASE_URL?" in stated
    assert unknown.returncode == 1 and "canary" not in unknown.stdout + unknown.stderr


def _finding(rows: str, what: str) -> tuple[str, str]:
    [row] = [row for row in json.loads(rows) if row["what"] == what]
    return row["state"], row["said"]


def test_the_cli_names_missing_settings(inbox: Run) -> None:
    lost = inbox("user", "list", more={"DATABASE_URL": None})
    away = inbox("user", "list", more={"DATABASE_URL": "postgresql://127.0.0.1:1/none"})

    assert (lost.returncode, "DATABASE_URL is missing" in lost.stderr) == (2, True)
    assert (away.returncode, "cannot be used" in away.stderr) == (1, True)
    assert "Traceback" not in lost.stderr + away.stderr


@pytest.mark.parametrize("words", [("user", "list"), ("doctor",)])
def test_a_command_with_json_output_fails_with_json(inbox: Run, words: tuple[str, ...]) -> None:
    away = inbox(*words, "--json", more={"DATABASE_URL": "postgresql://127.0.0.1:1/none"})

    assert (away.returncode, away.stderr) == (1, "")
    assert json.loads(away.stdout)["error"].startswith("The database cannot be used: ")


def test_the_cli_finds_the_running_service_by_its_data_directory(
    inbox: Run, settings: Settings, tmp_path: Path
) -> None:
    (tmp_path / "addresses").write_text(f"DATABASE_URL={settings.database_url}\nREDIS_URL={settings.redis_url}\n")
    keys_of_run = f"INBOX_SECRET_KEYS={settings.secret_keys}\nINBOX_SIGNING_KEY={settings.signing_key}\n"
    (tmp_path / "keys").write_text(keys_of_run)
    bare = dict.fromkeys(("DATABASE_URL", "REDIS_URL", "INBOX_SECRET_KEYS", "INBOX_SIGNING_KEY"))

    assert "olga@example.org" in inbox("user", "list", more=bare).stdout
    assert Workspace.select().count() == 2


def test_sending_needs_a_key_and_an_instance(inbox: Run) -> None:
    keyless = inbox("send", "Hello")
    nobody = inbox(
        "send", "Hello", "--no-spool", "--address", "http://127.0.0.1:1", more={"INBOX_SOURCE_KEY": "svc_src_x"}
    )

    assert (keyless.returncode, "INBOX_SOURCE_KEY" in keyless.stderr) == (2, True)
    assert (nobody.returncode, "svc_src_x" in nobody.stderr) == (1, False)


def test_events_are_sent_through_the_public_api(inbox: Run, cast: Cast, settings: Settings, tmp_path: Path) -> None:
    key = {"INBOX_SOURCE_KEY": cast.key}
    with Web.start(settings, tmp_path, workers=1) as web:
        there = ("--address", f"http://127.0.0.1:{web.port}")
        event = ("send", "Disk full", "--severity", "ERROR", "--dedup-key", "disk", "--tag", "a", "--tag", "b")
        sent = inbox(*event, "--idempotency-key", "once", *there, more=key)
        repeated = inbox(*event, "--idempotency-key", "once", *there, "--json", more=key)
        refused = inbox("send", " ", *there, more=key)
        unknown = inbox("send", "Hello", *there, more={"INBOX_SOURCE_KEY": cast.key[:-1] + "!"})
        demo = inbox("demo", "--hours", "24", *there, more=key)

    assert sent.returncode == 0 and sent.stdout.split()[1] == "accepted", sent.stderr
    assert json.loads(repeated.stdout)["events"][0]["status"] == "duplicate"
    assert (refused.returncode, "/title" in refused.stderr) == (1, True)
    assert (unknown.returncode, "unauthenticated" in unknown.stderr) == (1, True)
    assert cast.key not in refused.stderr + unknown.stderr + demo.stdout
    stored = Event.get(Event.title == "Disk full")
    assert (stored.tags, stored.dedup_key, stored.severity) == (["a", "b"], "disk", "ERROR")
    assert demo.returncode == 0, demo.stderr
    assert demo.stdout == f"{Event.select().count() - 1} events sent\n"
    assert [event.warnings for event in Event.select() if event.warnings] == []


def _key(letter: bytes) -> str:
    return base64.b64encode(letter * 32).decode()
