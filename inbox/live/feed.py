"""The change feed. A reference is stored in the transaction of the change and published after the commit.

The table has one row per unit of work, so that a lost publication is found within a second.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple
from uuid import UUID

import orjson
import peewee
from playhouse.postgres_ext import BinaryJSONField

from inbox.database.base import Table, TimestampField, db
from inbox.database.bulk_sql import AT_ONCE, Statements
from inbox.domain.values import ids
from inbox.runtime import queue

CHANNEL = "inbox:changes"
RESYNC = "resync"
"""The type of a reference that replaces all changes of a unit of work."""

ACT = "act"
"""The member of a stored reference to what a person did."""

RESYNC_THRESHOLD = 100
"""More references than this to one audience at one time become one `resync`.

Otherwise a burst of our own changes would overflow the mailboxes and end the streams.
"""

OVERLAP_SECONDS = 20.0
"""Longer than most transactions. Rows that become visible later are found in the gaps (`live.seen_changes`)."""

BEGIN_SECONDS = 60.0
"""The time for which the first poll looks back for rows that are not visible yet."""

_WITHIN = """
    SELECT pg_snapshot_xmin(s)::text::bigint, pg_snapshot_xmax(s)::text::bigint, ARRAY(
        SELECT c.seq FROM unnest(%s::bigint[], %s::bigint[]) AS g (low, high)
        CROSS JOIN LATERAL (SELECT seq FROM change_feed WHERE seq BETWEEN g.low AND g.high) c)
    FROM pg_current_snapshot() s
"""


class Parents(NamedTuple):
    """The records that an event or a delivery belongs to, so that a client reloads only affected records."""

    incident_id: UUID | None = None
    source_id: UUID | None = None
    destination_id: UUID | None = None


NO_PARENTS = Parents()

PARENT_FIELDS: Mapping[str, tuple[tuple[str, str, int], ...]] = {
    "event": (("incidentId", "inc", 0), ("sourceId", "src", 1)),
    "delivery": (("incidentId", "inc", 0), ("destinationId", "dst", 2)),
}
"""By type, the further fields of a line: name, prefix of the id, and place in `Parents`."""


@dataclass(frozen=True, slots=True)
class Reference:
    """A reference to a changed object, without its content (specification 14.2).

    `type` is a type of the stream. `op` is created, changed or deleted. `only` limits the audience to one person of the
    workspace. The audience of `me` is always that person. `parents` belong to an event or a delivery. A `resync`
    replaces changes of the types in `types`. `is_act` marks what a person did, which no window delays.
    """

    type: str
    id: UUID
    workspace_id: UUID | None
    op: str = "changed"
    rev: int = 0
    only: UUID | None = None
    parents: Parents = NO_PARENTS
    types: tuple[str, ...] = ()
    is_act: bool = False

    @property
    def person(self) -> UUID | None:
        """The one person in the audience, or None when the audience is the workspace."""
        return self.id if self.type == "me" else self.only

    @property
    def audience(self) -> UUID | None:
        """The id of the person or workspace that receives the reference."""
        return self.person or self.workspace_id

    def wire(self) -> dict[str, Any]:
        """Return the JSON object of a `data:` line."""
        if self.type == RESYNC:
            return {"type": RESYNC, "types": list(self.types)}
        return {
            "type": self.type,
            "id": ids.encode(PREFIX[self.type], self.id),
            "workspaceId": ids.encode("wsp", self.workspace_id) if self.workspace_id else None,
            "op": self.op,
            "rev": self.rev,
            **self._parent_ids(),
        }

    def _parent_ids(self) -> dict[str, str | None]:
        return {
            name: None if (id := self.parents[place]) is None else ids.encode(prefix, id)
            for name, prefix, place in PARENT_FIELDS.get(self.type, ())
        }

    def stored(self) -> dict[str, Any]:
        """Return the JSON object of the line with its audience, for the table `changes` and for Redis."""
        if self.audience is None:
            raise ValueError(f"nobody can be notified of this {self.type}: it needs a workspace or a person")
        audience = {"to": ids.encode("usr" if self.person else "wsp", self.audience)}
        return {**self.wire(), **audience, ACT: True} if self.is_act else {**self.wire(), **audience}


PREFIX = {
    "incident": "inc", "event": "evt", "source": "src", "rule": "rul", "routingProfile": "prf", "destination": "dst",
    "delivery": "dlv", "monitor": "mon", "watcher": "wat", "silence": "sil", "schedule": "sch", "forwarding": "fwd", "member": "mbr", "invite": "inv",
    "workspace": "wsp", "device": "dev", "view": "view", "me": "usr",
}  # fmt: skip

_WEIGHT = {"changed": 0, "created": 1, "deleted": 2}


def merged(earlier: Mapping[str, Any], later: Mapping[str, Any]) -> dict[str, Any]:
    """Merge two stored references to the same object.

    Deleted outweighs created, and created outweighs changed. The newest `rev` is kept, and each known parent.
    """
    op = max(earlier["op"], later["op"], key=_WEIGHT.__getitem__)
    parent_ids = {name: later.get(name) or earlier.get(name) for name, _, _ in PARENT_FIELDS.get(later["type"], ())}
    return {**later, **parent_ids, "op": op, "rev": max(earlier["rev"], later["rev"])}


def coalesce(references: Sequence[Reference]) -> list[Reference]:
    """Keep one reference per object. More than 100 to one audience become one `resync`, whatever the amount."""
    things: dict[tuple[str, UUID], Reference] = {}
    for later in references:
        earlier = things.get((later.type, later.id))
        if earlier is not None:
            op = max(earlier.op, later.op, key=_WEIGHT.__getitem__)
            parents = Parents(*(new or old for old, new in zip(earlier.parents, later.parents, strict=True)))
            is_act = earlier.is_act or later.is_act
            later = replace(later, op=op, rev=max(earlier.rev, later.rev), parents=parents, is_act=is_act)
        things[later.type, later.id] = later
    audiences: dict[UUID | None, list[Reference]] = {}
    for reference in things.values():
        audiences.setdefault(reference.audience, []).append(reference)
    return [
        reference
        for references_json in audiences.values()
        for reference in (references_json if len(references_json) <= RESYNC_THRESHOLD else [_resync(references_json)])
    ]


def _resync(replaced: Sequence[Reference]) -> Reference:
    types = tuple(sorted({reference.type for reference in replaced}))
    first = replaced[0]
    return Reference(RESYNC, first.id, first.workspace_id, only=first.person, types=types)


def encode(references: Sequence[Reference]) -> bytes:
    """Encode the references for storage and publishing, as a JSON array."""
    return orjson.dumps([reference.stored() for reference in references])


def store(references_json: bytes, statements: Statements = AT_ONCE) -> int:
    """Store the references inside the caller's transaction. Return the row's `seq` for `publish`."""
    return Change.write(references_json.decode(), statements)


def publish(seq: int, references_json: bytes) -> None:
    """Publish the references to every web process, after the commit.

    Without Redis, the poll of `changes` finds the row.
    """
    queue.job_queues().publish(CHANNEL, b'{"seq":%d,"refs":%b}' % (seq, references_json))


def close_streams(
    *, session_id: UUID | None = None, user_id: UUID | None = None, device_id: UUID | None = None
) -> None:
    """End the open streams of a session, a device or a person at once.

    The regular access check of the hub is the fallback (specification 14.4).
    """
    named = {"session": session_id, "user": user_id, "device": device_id}
    closing = {kind: str(id) if id else None for kind, id in named.items()}
    queue.job_queues().publish(CHANNEL, orjson.dumps({"close": closing}))


class Change(Table):
    """References that one unit of work changed: lines of the stream, each with its audience (specification 14.3)."""

    seq = peewee.BigAutoField()
    at = TimestampField()
    refs = BinaryJSONField(index=False)

    class Meta:
        table_name = "change_feed"

    @classmethod
    def write(cls, refs: str, statements: Statements = AT_ONCE) -> int:
        """Write references (JSON) in the caller's transaction; return the row's `seq`."""
        row = statements.query("INSERT INTO change_feed (refs) VALUES (%s::jsonb) RETURNING seq", (refs,)).fetchone()
        return int(row[0])

    @classmethod
    def recent(cls, seconds: float = OVERLAP_SECONDS) -> list[int]:
        """Return the `seq`s of the last seconds that are visible now, in order, and the newest one before them."""
        rows = db.execute_sql(
            "SELECT seq FROM change_feed WHERE seq >= coalesce("
            " (SELECT max(seq) FROM change_feed WHERE at < now() - make_interval(secs => %s)), 0) ORDER BY seq",
            (seconds,),
        )
        return [seq for (seq,) in rows.fetchall()]

    @classmethod
    def at_the_beginning(cls) -> list[int]:
        """Return the visible `seq`s of the last minute in order, and the newest one before them, or 0.

        All other numbers between them may still become visible, since a transaction may run when a stream opens.
        """
        rows = db.execute_sql(
            "WITH newest AS (SELECT coalesce(max(seq), 0) AS seq FROM change_feed WHERE at < now() - make_interval(secs => %s))"
            " SELECT seq FROM newest UNION SELECT c.seq FROM change_feed c, newest n WHERE c.seq >= n.seq ORDER BY seq",
            (BEGIN_SECONDS,),
        )
        return [seq for (seq,) in rows.fetchall()]

    @classmethod
    def within(cls, ranges: Sequence[tuple[int, int]]) -> tuple[list[int], int, int]:
        """Return the visible `seq`s in these ranges, the oldest running transaction, and the next one to begin.

        One statement reads all three, so that no unseen row is committed before these transactions.
        """
        lows, highs = zip(*ranges, strict=True)
        ((oldest_running, following, seqs),) = db.execute_sql(_WITHIN, (list(lows), list(highs))).fetchall()
        return seqs, oldest_running, following

    @classmethod
    def references(cls, seqs: Sequence[int]) -> list[tuple[int, list[dict[str, Any]]]]:
        """Return the references of these rows, in the order of `seq`."""
        rows = cls.select(cls.seq, cls.refs).where(cls.seq.in_(seqs)).order_by(cls.seq).tuples()
        return list(rows)
