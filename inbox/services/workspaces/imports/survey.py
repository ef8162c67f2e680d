"""Reads a whole export before anything is stored: its numbers, its people, its configuration, and ids in use here."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime
from uuid import UUID

from inbox.domain.values import ids, times
from inbox.domain.values.ids import Prefix
from inbox.domain.workspaces.roles import Role
from inbox.models.people.accounts import User
from inbox.models.workspaces import imports
from inbox.services.workspaces.imports.export_file import NAMES, ExportFile, Head, ImportRefused, Record
from inbox.services.workspaces.imports.id_map import MAX_NEW_IDS, IdMap, derived
from inbox.services.workspaces.imports.rows import BadRecord, row_of
from inbox.services.workspaces.imports.targets import CONFIGURATION, TARGETS, UNIQUE_IDS

MAX_MEMBERS = 1_000
MAX_CONFIGURATION = 20_000
"""The maximum number of records of the configuration, which are kept in memory."""

MAX_CONFIGURATION_BYTES = 64 * 1024**2

CHUNK = 1_000
"""The number of ids that are looked up at a time."""

TOO_MUCH = f"The file has more than {MAX_CONFIGURATION:,} records of configuration, or more than 64 MiB of them."
TOO_MANY_NEW_IDS = f"More than {MAX_NEW_IDS:,} ids of the file are in use on this instance."


@dataclass(frozen=True, slots=True)
class Joining:
    """A member of the exported workspace. `user_id` is the account here with the address, or None."""

    email: str
    role: Role
    joined_at: datetime
    user_id: UUID | None


@dataclass(slots=True)
class Survey:
    """What a file has. `counts` are its records by section, `configuration` those that one transaction stores."""

    head: Head
    digest: bytes
    id_map: IdMap
    people: list[Joining]
    counts: Counter[str] = field(default_factory=Counter)
    configuration: list[Record] = field(default_factory=list)
    keys: Counter[str] = field(default_factory=Counter)
    """The keys by the names of their sources. No key is exported, so senders need new ones."""

    calendars: list[str] = field(default_factory=list)
    """The ids of the schedules that follow a calendar, whose address is a secret."""

    highest_number: int = 0
    new_ids: list[tuple[str, str]] = field(default_factory=list)
    """Ids of the file that other records have here, with the new ones."""


def of_file(file: ExportFile) -> Survey:
    """Reads the whole file. Raises `ImportRefused` for the first record that cannot be read."""
    head, digest = file.head(), file.digest()
    survey = Survey(head, digest, _id_map(head, digest), members(file))
    survey.id_map.people = people_of(file, survey.people)
    reader = _Reader(survey)
    for record in file.records():
        reader.add(record)
    reader.look_up()
    return survey


def members(file: ExportFile) -> list[Joining]:
    """Returns the members of the exported workspace. Raises `ImportRefused`."""
    records = list(_member_records(file))
    emails = [str(each.item.get("email")) for each in records]
    keys = {each.casefold() for each in emails}
    accounts = User.select(User.email_key, User.id).where(User.email_key.in_(keys), User.deleted_at.is_null())
    by_key = dict(accounts.tuples())
    return [
        _joining(record, email, by_key.get(email.casefold())) for record, email in zip(records, emails, strict=True)
    ]


def people_of(file: ExportFile, people: list[Joining]) -> dict[UUID, UUID]:
    """Returns the accounts here by the ids of members in the file."""
    here = {each.email: each.user_id for each in people}
    found = {}
    for record in _member_records(file):
        id, account = _user_id(record), here.get(str(record.item.get("email")))
        if account is not None:
            found[id] = account
    return found


@dataclass(slots=True)
class _Reader:
    """Adds records to a survey. Ids are looked up in chunks."""

    survey: Survey
    waiting: dict[str, list[UUID]] = field(default_factory=dict)
    names: dict[str, str] = field(default_factory=dict)
    size: int = 0

    def add(self, record: Record) -> None:
        """Counts a record, checks its shape, and keeps it if it is configuration."""
        survey, section = self.survey, record.section
        survey.counts[section] += 1
        try:
            row = row_of(NAMES[section], record.item, survey.id_map) if section in TARGETS else {}
        except BadRecord as fault:
            raise record.refusal(str(fault)) from None
        if section in CONFIGURATION:
            self._keep(record)
        elif section == "incidents" and isinstance(row["number"], int):
            survey.highest_number = max(survey.highest_number, row["number"])
        elif section == "sourceKeys" and record.item.get("revokedAt") is None:
            survey.keys[self.names.get(str(record.item.get("sourceId")), "a deleted source")] += 1
        elif section == "onCallCalendars":
            survey.calendars.append(self.names.get(str(record.item.get("scheduleId")), "a deleted schedule"))
        if section in UNIQUE_IDS:
            self._wait(record, section)

    def look_up(self) -> None:
        """Looks up the ids that wait."""
        for section in list(self.waiting):
            self._look_up(section)

    def _keep(self, record: Record) -> None:
        self.size += record.size
        self.survey.configuration.append(record)
        if len(self.survey.configuration) > MAX_CONFIGURATION or self.size > MAX_CONFIGURATION_BYTES:
            raise ImportRefused(TOO_MUCH)
        if record.item.get("deletedAt") is None:
            self.names[str(record.item.get("id"))] = str(record.item.get("name"))

    def _wait(self, record: Record, section: str) -> None:
        id = ids.decode(UNIQUE_IDS[section].id_prefix, str(record.item.get("id")))
        if id is None:
            raise record.refusal("The id is missing.")
        self.waiting.setdefault(section, []).append(id)
        if len(self.waiting[section]) >= CHUNK:
            self._look_up(section)

    def _look_up(self, section: str) -> None:
        target, survey = UNIQUE_IDS[section], self.survey
        found = sorted(imports.taken(target.table, self.waiting.pop(section)))
        if not survey.id_map.add_new(found):
            raise ImportRefused(TOO_MANY_NEW_IDS)
        here = survey.id_map.workspace[1]
        survey.new_ids += [
            (ids.encode(target.id_prefix, id), ids.encode(target.id_prefix, derived(here, id))) for id in found
        ]


def _id_map(head: Head, digest: bytes) -> IdMap:
    """Returns the map with the id of the workspace here: its own where it is free, else one that follows from the file."""
    origin = ids.decode(Prefix.WORKSPACE, str(head.workspace.get("id")))
    if origin is None:
        raise ImportRefused("workspace: The id is missing.")
    is_taken = bool(imports.taken("workspaces", [origin]))
    here = derived(UUID(bytes=digest[:16]), origin) if is_taken else origin
    return IdMap((origin, here), copies_events=is_taken)


def _joining(record: Record, email: str, user_id: UUID | None) -> Joining:
    role, joined_at = str(record.item.get("role")), times.parse(str(record.item.get("joinedAt")))
    if role not in list(Role) or joined_at is None:
        raise record.refusal("role or joinedAt is missing.")
    return Joining(email, Role(role), joined_at, user_id)


def _member_records(file: ExportFile) -> Iterator[Record]:
    """Yields the members, which are the first list of an export."""
    for record in file.records():
        if record.section != "members":
            return
        if record.number > MAX_MEMBERS:
            raise ImportRefused(f"The file has more than {MAX_MEMBERS:,} members.")
        yield record


def _user_id(record: Record) -> UUID:
    id = ids.decode(Prefix.USER, str(record.item.get("userId")))
    if id is None:
        raise record.refusal("The userId is missing.")
    return id
