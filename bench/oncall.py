"""People on call: who is on call now beside 10,000 schedules, and the shifts of a year of a schedule with ten layers."""

from __future__ import annotations

import time
from datetime import UTC, datetime, timedelta
from uuid import UUID
from zoneinfo import ZoneInfo

from psycopg2.extras import Json

from bench.environment import BenchEnvironment
from bench.figures import Effort, Measurement, share
from inbox.database.base import new_id
from inbox.domain.oncall.schedule import Layer, OnCallSchedule, Unit
from inbox.domain.oncall.shifts import shifts
from inbox.domain.oncall.stored import record

SCHEDULES, IN_A_WORKSPACE = 10_000, 200
LAYERS, PEOPLE = 10, 4
START = datetime(2026, 1, 5, 9)
YEAR = timedelta(days=365)


def measure(stand: BenchEnvironment, effort: Effort) -> list[Measurement]:
    """Measures the answer of the API, and the computation of shifts without a database."""
    return [*_now(stand, effort), _year(effort)]


def _now(stand: BenchEnvironment, effort: Effort) -> list[Measurement]:
    stand.clear()
    with stand.web(1) as web:
        user = UUID(stand.query_one("SELECT id::text FROM users LIMIT 1"))
        _fill(stand, user)
        own, found = web.workspace_id(), []
        for limit in (50, IN_A_WORKSPACE):
            path = f"/v1/schedules/on-call-now?workspaceId={own}&limit={limit}"
            count, before, took = len(web.call("GET", path)["items"]), web.cpu_seconds(), list[float]()
            for _ in range(effort.probes):
                began = time.monotonic()
                web.call("GET", path)
                took.append((time.monotonic() - began) * 1000)
            cpu = {name: (after - before[name]) / effort.probes * 1000 for name, after in web.cpu_seconds().items()}
            note = f"CPU {' + '.join(f'{each:.1f}' for each in cpu.values())} ms, beside {SCHEDULES:,} schedules"
            name = f"who is on call now by {count} schedules of a workspace"
            found.append(
                Measurement(name, share(took, 0.5), "ms", p50=share(took, 0.5), p99=share(took, 0.99), note=note)
            )
        return found


def _fill(stand: BenchEnvironment, user: UUID) -> None:
    """Creates the schedules: those of one workspace, and the others in workspaces that are copies of it."""
    rest = SCHEDULES // IN_A_WORKSPACE - 1
    with stand.connection() as connection, connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO workspaces SELECT (jsonb_populate_record(w, jsonb_build_object("
            "'id', gen_random_uuid(), 'slug', w.slug || n, 'name', w.name || n))).*"
            " FROM workspaces w, generate_series(1, %s) n",
            (rest,),
        )
        layers = Json([record(each) for each in _layers(2, [user])])
        cursor.execute(
            "INSERT INTO oncall_schedules (id, workspace_id, name, timezone, layers, created_at)"
            " SELECT gen_random_uuid(), w.id, 'Schedule ' || n, 'Europe/Berlin', %s, %s"
            " FROM workspaces w, generate_series(1, %s) n",
            (layers, datetime.now(UTC) - YEAR, IN_A_WORKSPACE),
        )
    stand.query_one("ANALYZE; SELECT 1")


def _layers(count: int, people: list[UUID]) -> list[Layer]:
    zone = ZoneInfo("Europe/Berlin")
    return [
        Layer(
            new_id(), f"Layer {level}", level, zone, START, Unit.DAY if level % 2 else Unit.WEEK, 1,
            tuple((each,) for each in people),
        )
        for level in range(1, count + 1)
    ]  # fmt: skip


def _year(effort: Effort) -> Measurement:
    people = [new_id() for _ in range(PEOPLE)]
    schedule = OnCallSchedule.of_layers(_layers(LAYERS, people))
    start, took, count = datetime(2026, 6, 1, tzinfo=UTC), list[float](), 0
    for _ in range(effort.probes):
        began = time.process_time()
        count = len(shifts(schedule, start, start + YEAR))
        took.append((time.process_time() - began) * 1000)
    name = f"{count} shifts of a year, {LAYERS} layers"
    return Measurement(name, share(took, 0.5), "ms of CPU", p50=share(took, 0.5), p99=share(took, 0.99))
