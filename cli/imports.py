"""`bin/inbox import`: imports the set-up of another tool as sources, monitors, rules and more, or a whole workspace."""

from __future__ import annotations

import argparse
import json
import os
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from uuid import UUID

from cli.command import Failed, add_json_option, command
from cli.sources import workspace_named
from inbox.config import settings
from inbox.domain.values import ids
from inbox.intake.importers import answers, uptime_kuma
from inbox.intake.importers.import_kind import ImportForm
from inbox.intake.importers.plan import PING_URL, Plan
from inbox.intake.importers.registry import KINDS
from inbox.services.senders import import_fetching, import_reading, imports
from inbox.services.senders.import_reading import MAX_TEXT, Draft
from inbox.services.senders.imports import CreatedItem, PreviewedItem

TOKEN = "INBOX_IMPORT_TOKEN"
"""The variable with the token for the API of the tool. Everybody on the machine can see arguments."""

PREFIXES = {
    "source": "src",
    "monitor": "mon",
    "rule": "rul",
    "silence": "sil",
    "person": "usr",
    "schedule": "sch",
    "profile": "prf",
}

WORKSPACE = "workspace"
"""The kind of an export of this service, which becomes a workspace of its own."""

MAX_SETUP = 32 * 1024**2
"""The most bytes of a file of saved answers."""


def add_to(commands: Any) -> None:
    """Adds `import KIND FILE|URL`."""
    about = "Import the configuration of another tool. Without --apply, only show what would be created."
    made = command(commands, "import", run, about)
    made.add_argument("kind", choices=[*KINDS, WORKSPACE])
    made.add_argument(
        "place",
        metavar="FILE|URL",
        help=f"a file, - for standard input, or the address of a server; {TOKEN} has its token",
    )
    made.add_argument("--workspace", help="slug or id of the workspace; needed when there is more than one")
    made.add_argument("--apply", action="store_true", help="create the items")
    made.add_argument("--only", metavar="REFERENCE", action="append", help="create only this item; may be repeated")
    made.add_argument(
        "--save", metavar="FILE", type=Path, help="only read the answers of the server, and write them to a file"
    )
    made.add_argument("--timezone", default="UTC", help="the time zone of a crontab without CRON_TZ")
    made.add_argument(
        "--with-user", action="store_true", help="the lines of the crontab name a user, as in /etc/crontab"
    )
    made.add_argument("--owner", metavar="EMAIL", help="an account that owns the imported workspace")
    made.add_argument("--ids", metavar="FILE", type=Path, help="write the new ids of an imported workspace to a file")
    made.add_argument("--discard", action="store_true", help="remove the incomplete import of a workspace")
    add_json_option(made)


def run(options: argparse.Namespace) -> None:
    """Prints the plan, or creates its items."""
    if options.save is not None:
        _save(options)
        return
    if options.kind == WORKSPACE:
        from cli import workspace_imports  # the schemas of the API take half a second

        workspace_imports.import_workspace(options)
        return
    if options.discard:
        raise Failed("--discard is for the import of a workspace.")
    workspace = workspace_named(options.workspace)
    plan = _plan(options)
    if options.apply:
        created = imports.create(workspace.id, plan, options.only, by=None, now=datetime.now(UTC))
        _print_created(created, as_json=options.json)
    else:
        _print_plan(plan, imports.preview(workspace.id, plan), as_json=options.json)


def _plan(options: argparse.Namespace) -> Plan:
    fields: dict[str, Any] = {"kind": options.kind, "timezone": options.timezone, "has_user_field": options.with_user}
    kind = KINDS[options.kind]
    if options.place.startswith(("http://", "https://")):
        return import_reading.read(
            Draft.of({**fields, "address": options.place, "token": options.environment.get(TOKEN, "")})
        )
    if kind.read_setup is not None:
        return import_reading.read(Draft.of({**fields, "file": _saved(Path(options.place))}))
    if options.place != "-":
        path = Path(options.place)
        if not path.is_file():
            raise Failed(f"There is no file {path}.")
        with path.open("rb") as file:
            if ImportForm.FILE in kind.forms and file.read(len(uptime_kuma.HEADER)) == uptime_kuma.HEADER:
                return import_reading.read_database(path)
            file.seek(0)
            content = file.read(MAX_TEXT + 1)
    else:
        content = sys.stdin.buffer.read(MAX_TEXT + 1)
    if len(content) > MAX_TEXT:
        raise Failed(f"The file has more than {MAX_TEXT:,} bytes.")
    return import_reading.read(Draft.of({**fields, "document": content.decode(errors="replace")}))


def _save(options: argparse.Namespace) -> None:
    """Writes the answers of a server to a new file that others cannot read."""
    kind, now = KINDS[options.kind], datetime.now(UTC)
    if kind.read_setup is None or not options.place.startswith(("http://", "https://")):
        raise Failed("--save needs a tool whose whole set-up is read, and the address of its server.")
    draft = Draft.of({"kind": options.kind, "address": options.place, "token": options.environment.get(TOKEN, "")})
    found = import_reading.fetch(draft, now, import_fetching.UNHURRIED)
    try:
        with os.fdopen(os.open(options.save, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
            file.write(answers.written(kind.kind, found, now))
    except FileExistsError:
        raise Failed(f"There is a file {options.save}.") from None
    print(f"{len(found):,} answers of {kind.label} are in {options.save}. Nothing was created.")


def _saved(path: Path) -> bytes:
    if not path.is_file():
        raise Failed(f"There is no file {path}.")
    if path.stat().st_size > MAX_SETUP:
        raise Failed(f"The file has more than {MAX_SETUP:,} bytes.")
    return path.read_bytes()


def _print_plan(plan: Plan, items: list[PreviewedItem], *, as_json: bool) -> None:
    rows: list[dict[str, Any]] = [
        {
            "reference": each.item.reference,
            "type": str(each.item.kind),
            "name": each.item.name,
            "status": str(each.status),
            "text": each.item.text,
            "warnings": each.warnings,
            "comparison": each.item.comparison,
        }
        for each in items
    ]
    left_out = [{"name": each.name, "reason": each.reason} for each in plan.left_out]
    if as_json:
        document = {"items": rows, "leftOut": left_out, "warnings": plan.warnings}
        print(json.dumps(document, indent=2, ensure_ascii=False))
        return
    for row in rows:
        print(f"{row['status']:<9} {row['type']:<8} {row['name']}\n          {row['text']}  [{row['reference']}]")
        for warning in row["warnings"]:
            print(f"          Warning: {warning}")
        _print_comparison(row["comparison"])
    for entry in left_out:
        print(f"left out  {entry['name']}: {entry['reason']}")
    for warning in plan.warnings:
        print(f"Warning: {warning}")
    print("\nNothing was created. --apply creates these items.")


def _print_comparison(comparison: Any) -> None:
    """Prints each period in which other people are on call here than in the other tool."""
    if comparison is None:
        return
    if not comparison["total"]:
        print(f"          Its shifts until {comparison['endsAt']} are those of the other tool.")
    for each in comparison["differences"]:
        theirs, ours = (", ".join(each[side]) or "nobody" for side in ("theirs", "ours"))
        print(f"          Differs from {each['startsAt']} to {each['endsAt']}: there {theirs}, here {ours}")
    if comparison["total"] > len(comparison["differences"]):
        print(f"          {comparison['total']:,} differences in all.")


def _print_created(items: list[CreatedItem], *, as_json: bool) -> None:
    rows = [_created(each) for each in items]
    if as_json:
        print(json.dumps(rows, indent=2, ensure_ascii=False))
        return
    for row in rows:
        print(f"{'created' if row['created'] else 'existing':<9} {row['type']:<8} {row['name']}  {row['id']}")
        if row["snippet"]:
            print(f"          {row['snippet']}")
    if any(row["pingUrl"] for row in rows):
        print("\nThe ping addresses are shown only once: store them now.")


def _created(each: CreatedItem) -> dict[str, Any]:
    url = f"{settings.current().base_url}/v1/heartbeats/{each.token}" if each.token else None
    record_id: UUID = each.record_id
    return {
        "reference": each.item.reference,
        "type": str(each.item.kind),
        "name": each.item.name,
        "id": ids.encode(PREFIXES[each.item.kind], record_id),
        "created": each.is_new,
        "pingUrl": url,
        "snippet": each.item.snippet.replace(PING_URL, url) if url else "",
    }
