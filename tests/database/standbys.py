"""A primary with a streaming standby, for reads on a replica. The standby can be held back, killed and started again."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Self

from ops.children import wait_until
from tests.database.clusters import Cluster

SETTINGS = {"max_connections": "100", "wal_level": "replica", "hot_standby": "on", "fsync": "off"}


class Replicated:
    """The two servers."""

    def __init__(self) -> None:
        self.primary, self.standby = Cluster(settings=SETTINGS), Cluster(settings=SETTINGS)

    @classmethod
    @contextmanager
    def started(cls) -> Iterator[Self]:
        """Both servers with an empty database `inbox`, until the block ends."""
        pair = cls()
        try:
            pair.primary.initialize()
            pair.primary.start()
            pair.primary.create_database()
            pair.standby.copy(pair.primary, name="standby")
            pair.standby.start()
            yield pair
        finally:
            pair.standby.remove()
            pair.primary.remove()

    def catch_up(self) -> None:
        """Returns when the standby shows everything that is committed now."""
        [(position,)] = self.primary.execute("SELECT pg_current_wal_insert_lsn()")
        sql = f"SELECT pg_last_wal_replay_lsn() >= '{position}'::pg_lsn"
        assert wait_until(lambda: self.standby.execute(sql) == [(True,)], 60, every=0.02)

    def delay(self, duration: str) -> None:
        """Commits are shown on the standby so much later."""
        self.standby.execute(f"ALTER SYSTEM SET recovery_min_apply_delay = '{duration}'")
        self.standby.execute("SELECT pg_reload_conf()")

    @contextmanager
    def held_back(self) -> Iterator[None]:
        """The standby shows nothing new within the block."""
        self.catch_up()
        self.standby.execute("SELECT pg_wal_replay_pause()")
        paused = "SELECT pg_get_wal_replay_pause_state()"
        assert wait_until(lambda: self.standby.execute(paused) == [("paused",)], 60, every=0.02)
        try:
            yield
        finally:
            self.standby.execute("SELECT pg_wal_replay_resume()")
