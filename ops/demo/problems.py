"""The recurring problems of the sample workspace, and routine events between them."""

from __future__ import annotations

from typing import Any, NamedTuple

Minutes = tuple[int, int]
"""The least and the most minutes."""

DAY, OFFICE, NIGHT, EVENING = (0, 24), (8, 18), (1, 5), (17, 23)
"""Hours of the day in which something happens."""


class Problem(NamedTuple):
    """A problem that happens `per_day` times a day, sends `repeats` events and ends after some minutes.

    `acknowledged` is the share of times in which a person acknowledges it. Without `recovers` a person resolves it.
    """

    source: str
    key: str
    severity: str
    title: str
    resource: str
    type: str
    per_day: float
    hours: tuple[int, int] = DAY
    repeats: Minutes = (1, 3)
    lasts: Minutes = (6, 45)
    acknowledged: float = 0.4
    recovers: bool = True
    tags: tuple[str, ...] = ()
    metadata: dict[str, Any] = {}  # noqa: RUF012 - it is never changed


PROBLEMS = (
    Problem("Web shop", "checkout-latency", "WARNING", "Checkout answers slowly", "service:checkout",
            "latency.high", 0.9, EVENING, (4, 7), (12, 40), 0.5, tags=("prod",)),
    Problem("Web shop", "search-errors", "ERROR", "Search returns errors", "service:search",
            "errors.high", 0.8, DAY, (2, 4), (8, 30), 0.5, tags=("prod",)),
    Problem("Web shop", "cart-5xx", "ERROR", "Cart answers with status 502", "service:cart",
            "errors.high", 0.5, EVENING, (1, 4), (5, 25), 0.6, tags=("prod",)),
    Problem("Web shop", "mail-queue", "WARNING", "Mail queue is long", "queue:mail",
            "queue.long", 0.7, DAY, (1, 3), (15, 70), 0.3),
    Problem("Payments", "settlement-file", "ERROR", "Settlement file is late", "job:settlement",
            "job.late", 0.4, (6, 9), (1, 2), (20, 90), 0.8),
    Problem("Payments", "card-timeouts", "CRITICAL", "Card payments time out", "service:cards",
            "payments.failing", 0.25, EVENING, (2, 5), (9, 40), 0.95),
    Problem("PostgreSQL", "replication-lag", "WARNING", "Replica db-2 lags behind", "host:db-2",
            "replication.lag", 0.8, NIGHT, (2, 4), (8, 35), 0.1, tags=("prod",)),
    Problem("PostgreSQL", "connections", "ERROR", "db-1 has no free connections", "host:db-1",
            "connections.exhausted", 0.3, OFFICE, (1, 3), (6, 20), 0.9, tags=("prod",)),
    Problem("PostgreSQL", "long-query", "WARNING", "A query runs for minutes", "host:db-1",
            "query.long", 0.7, OFFICE, (1, 2), (5, 30), 0.3),
    Problem("Backups", "wiki-backup", "ERROR", "Backup of the wiki failed", "job:wiki-backup",
            "backup.failed", 0.2, NIGHT, (1, 1), (200, 400), 0.8, recovers=False),
    Problem("Uptime checks", "blog-down", "WARNING", "blog.example.com does not answer", "site:blog.example.com",
            "site.down", 0.6, DAY, (1, 3), (4, 18), 0.2),
    Problem("Uptime checks", "shop-down", "CRITICAL", "shop.example.com does not answer", "site:shop.example.com",
            "site.down", 0.12, DAY, (2, 4), (4, 12), 1.0),
    Problem("CI", "main-build", "WARNING", "Build of main failed", "pipeline:shop",
            "build.failed", 0.8, OFFICE, (1, 2), (25, 120), 0.7, tags=("build",), metadata={"branch": "main"}),
    Problem("Staging", "staging-nodes", "ERROR", "Node of staging is not ready", "cluster:staging",
            "node.down", 0.6, DAY, (1, 3), (10, 60), 0.2, tags=("staging",)),
)  # fmt: skip


class Routine(NamedTuple):
    """An event without a problem, `per_day` times a day."""

    source: str
    severity: str
    title: str
    resource: str
    type: str
    per_day: float
    hours: tuple[int, int] = DAY
    metadata: dict[str, Any] = {}  # noqa: RUF012 - it is never changed


ROUTINE = (
    Routine("CI", "INFO", "Deployed shop 4.{n}", "service:shop", "deploy.finished", 2.2, OFFICE, {"branch": "main"}),
    Routine("CI", "INFO", "Build of main passed", "pipeline:shop", "build.passed", 5, OFFICE, {"branch": "main"}),
    Routine("CI", "WARNING", "Build of a side branch failed", "pipeline:shop", "build.failed", 1.4, OFFICE,
            {"branch": "try-new-search"}),
    Routine("Backups", "SUCCESS", "Backup of db-1 finished", "job:backup-db-1", "backup.finished", 1, (2, 3)),
    Routine("Backups", "SUCCESS", "Backup of the files finished", "job:backup-files", "backup.finished", 1, (3, 4)),
    Routine("Payments", "INFO", "Settlement of yesterday finished", "job:settlement", "job.finished", 1, (7, 8)),
    Routine("Uptime checks", "DEBUG", "Probe of the load balancer", "site:shop.example.com", "probe.ok", 9),
    Routine("Certificates", "INFO", "All other certificates are valid for 30 days", "job:certificates",
            "certificates.checked", 1, (5, 6)),
    Routine("PostgreSQL", "INFO", "Vacuum of orders finished", "host:db-1", "vacuum.finished", 2, NIGHT),
)  # fmt: skip

NOTES = {
    "checkout-latency": "The recommendation service was slow. I switched it off for an hour.",
    "search-errors": "One search node had a full heap. Restarted.",
    "card-timeouts": "The provider confirms a disturbance on its side.",
    "connections": "A report held 40 connections. Its pool is limited now.",
    "wiki-backup": "The disk of the backup server was full. Old copies are removed.",
    "main-build": "A flaky test of the cart. I marked it and opened an issue.",
    "shop-down": "The load balancer lost both nodes after an update. Rolled back.",
}
"""The notes that a person writes about a problem after its end."""
