"""The incidents of the last days, line by line, so that each state has an incident with a story."""

from __future__ import annotations

from typing import Any, NamedTuple

Line = tuple[str, ...]
"""A time before the end of the history and what happened then.

`("26m", "CRITICAL", title)` is an event, with its body as the fourth part. `("24m", "note", person, text)` is a note.
`("20m", "acknowledge", person)` is an act of a person. Its fourth part is the end of a snooze or the assignee.
`"02:10"` is the last such time of day that is at least three hours ago.
"""


class Story(NamedTuple):
    """The events and acts of one incident."""

    source: str
    key: str
    resource: str
    type: str
    lines: tuple[Line, ...]
    tags: tuple[str, ...] = ()
    metadata: dict[str, Any] = {}  # noqa: RUF012 - it is never changed
    url: str = ""


FULL_DISK = """/var/lib/postgresql is 96 % full.
  used   461 GB
  free    19 GB
  growth  3.1 GB per hour, full in about 6 hours
Largest: orders_archive 188 GB, pg_wal 71 GB"""

FAILED_BACKUP = """pg_dump: error: could not write to file: No space left on device
Copied 212 of 388 GB before the failure.
The last complete backup is 26 hours old."""

STORIES = (
    Story("PostgreSQL", "disk:db-1", "host:db-1", "disk.usage", (
        ("4h10m", "WARNING", "Disk of db-1 is almost full", "/var/lib/postgresql is 82 % full."),
        ("3h20m", "WARNING", "Disk of db-1 is almost full", "/var/lib/postgresql is 86 % full."),
        ("1h50m", "ERROR", "Disk of db-1 is almost full", "/var/lib/postgresql is 91 % full."),
        ("48m", "CRITICAL", "Disk of db-1 is almost full", FULL_DISK),
        ("44m", "note", "theo", "orders_archive can move to db-3. I need a second pair of eyes for that."),
        ("31m", "CRITICAL", "Disk of db-1 is almost full", FULL_DISK),
    ), ("prod",), {"mount": "/var/lib/postgresql", "usedPercent": 96}, "https://grafana.example.com/d/disks?host=db-1"),
    Story("Payments", "cards-declined", "service:cards", "payments.failing", (
        ("1h22m", "ERROR", "Card payments fail at example-pay", "12 % of the payments are declined."),
        ("1h19m", "ERROR", "Card payments fail at example-pay", "21 % of the payments are declined."),
        ("1h14m", "CRITICAL", "Card payments fail at example-pay", "38 % of the payments are declined."),
        ("1h10m", "acknowledge", "mira"),
        ("1h09m", "assign", "mira", "theo"),
        ("1h05m", "note", "mira", "Only cards of one bank. I called the provider, ticket P-20417."),
        ("52m", "CRITICAL", "Card payments fail at example-pay", "35 % of the payments are declined."),
        ("34m", "note", "theo", "The shop now offers invoices first. Orders are back at 80 % of a normal hour."),
        ("21m", "CRITICAL", "Card payments fail at example-pay", "17 % of the payments are declined."),
    ), ("prod",), {"provider": "example-pay", "declinedPercent": 17}, "https://status.example.org/example-pay"),
    Story("Backups", "backup:db-1", "job:backup-db-1", "backup.failed", (
        ("02:10", "ERROR", "Backup of db-1 failed: no space left", FAILED_BACKUP),
    ), ("prod",), {"exitCode": 1, "host": "backup-1"}),
    Story("CI", "main-build", "pipeline:shop", "build.failed", (
        ("2h35m", "WARNING", "Build of main failed"),
        ("2h20m", "acknowledge", "theo"),
        ("2h18m", "note", "theo", "The new address form breaks two tests. The fix is in review."),
        ("1h30m", "WARNING", "Build of main failed"),
    ), ("build",), {"branch": "main", "build": 8812}, "https://ci.example.com/shop/8812"),
    Story("Certificates", "cert:shop.example.com", "site:shop.example.com", "certificate.expiring", (
        ("1d5h", "WARNING", "Certificate of shop.example.com ends soon", "It ends in 9 days."),
        ("1d4h", "snooze", "mira", "1d16h"),
        ("1d4h", "note", "mira", "The renewal is planned for tomorrow, together with the load balancer."),
        ("5h30m", "WARNING", "Certificate of shop.example.com ends soon", "It ends in 8 days."),
    )),
    Story("PostgreSQL", "replication-lag:db-2", "host:db-2", "replication.lag", (
        ("28m", "WARNING", "Replica db-2 lags behind", "The lag is 340 s."),
        ("16m", "ERROR", "Replica db-2 lags behind", "The lag is 1,120 s."),
        ("6m", "ERROR", "Replica db-2 lags behind", "The lag is 1,804 s."),
    ), ("prod",)),
    Story("Uptime checks", "search-down", "site:search.example.com", "site.down", (
        ("58m", "WARNING", "search.example.com does not answer"),
        ("54m", "SUCCESS", "search.example.com answers again"),
        ("47m", "WARNING", "search.example.com does not answer"),
        ("44m", "SUCCESS", "search.example.com answers again"),
        ("38m", "WARNING", "search.example.com does not answer"),
        ("35m", "SUCCESS", "search.example.com answers again"),
        ("27m", "WARNING", "search.example.com does not answer"),
        ("24m", "SUCCESS", "search.example.com answers again"),
        ("12m", "WARNING", "search.example.com does not answer"),
    )),
    Story("Web shop", "mail-queue", "queue:mail", "queue.long", (
        ("2h05m", "WARNING", "Mail queue is long", "4,812 messages wait."),
        ("1h40m", "WARNING", "Mail queue is long", "6,230 messages wait."),
    )),
    Story("Staging", "staging-disk", "cluster:staging", "disk.usage", (
        ("9h", "ERROR", "Disk of staging-2 is almost full", "/var is 93 % full."),
        ("8h40m", "acknowledge", "theo"),
    ), ("staging",)),
    Story("Web shop", "orders-stuck", "service:orders", "orders.stuck", (
        ("2d3h", "ERROR", "Orders are not confirmed", "The oldest order waits for 10 minutes."),
        ("2d2h56m", "acknowledge", "theo"),
        ("2d2h50m", "CRITICAL", "Orders are not confirmed", "The oldest order waits for 20 minutes."),
        ("2d2h41m", "note", "theo", "The message broker refuses new connections: too many open files."),
        ("2d2h30m", "note", "mira", "I raised the limit and restarted the broker. 214 orders went through."),
        ("2d2h20m", "SUCCESS", "Orders are confirmed again"),
        ("2d1h50m", "ERROR", "Orders are not confirmed", "The oldest order waits for 10 minutes."),
        ("2d1h44m", "acknowledge", "mira"),
        ("2d1h10m", "SUCCESS", "Orders are confirmed again"),
        ("2d1h", "note", "mira", "The limit is now part of the service file. We follow it up on Monday."),
    ), ("prod",)),
    Story("Web shop", "import-prices", "job:import-prices", "job.failed", (
        ("4d6h", "ERROR", "Price import failed", "The file has 3 columns instead of 4."),
        ("4d5h30m", "acknowledge", "mira"),
        ("4d4h", "resolve", "mira"),
        ("4d3h58m", "note", "mira", "The supplier sent a corrected file."),
    )),
)  # fmt: skip
