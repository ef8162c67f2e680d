"""The metrics that a process counts in memory. `processes` shares them between processes; `services.instance.scrape` renders
them."""

from __future__ import annotations

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, disable_created_metrics
from prometheus_client.process_collector import ProcessCollector

disable_created_metrics()

REGISTRY = CollectorRegistry()
ProcessCollector(registry=REGISTRY)

FAST = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
SLOW = (0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 15.0, 60.0, 300.0)
"""Upper bounds in seconds: `FAST` for waits of callers, `SLOW` for waits in a queue."""


def _counter(name: str, help_text: str, *labels: str) -> Counter:
    return Counter(name, help_text, labels, registry=REGISTRY)


def _histogram(name: str, help_text: str, buckets: tuple[float, ...], *labels: str) -> Histogram:
    return Histogram(name, help_text, labels, registry=REGISTRY, buckets=buckets)


def _gauge(name: str, help_text: str, *labels: str) -> Gauge:
    return Gauge(name, help_text, labels, registry=REGISTRY)


HTTP_REQUESTS = _counter(
    "inbox_http_requests_total",
    "Requests that were answered, by the pattern of their route.",
    "method",
    "route",
    "status",
)
HTTP_SECONDS = _histogram(
    "inbox_http_request_duration_seconds", "Time until the answer was ready.", FAST, "method", "route"
)
HTTP_PLAIN = _counter(
    "inbox_http_plain_requests_total", "Requests that a web process read itself, without gunicorn (INBOX_FAST_PATH)."
)
INGEST_EVENTS = _counter(
    "inbox_ingest_events_total", "Events of requests answered 202: accepted or duplicate.", "outcome"
)
INGEST_REPLAYS = _counter("inbox_ingest_replays_total", "Requests answered from their idempotency record.")
INGEST_REFUSED = _counter(
    "inbox_ingest_refused_requests_total", "Requests to store events that were refused, by problem code.", "reason"
)
INGEST_WARNINGS = _counter("inbox_ingest_warnings_total", "Warnings in answers to accepted events.", "code")
DATA_ERRORS = _counter(
    "inbox_data_errors_total", "Values that only the database refused; each is a check that is missing."
)

STREAMS_OPEN = _gauge("inbox_streams_open", "Streams that are open.")
STREAMS_OPENED = _counter("inbox_streams_opened_total", "Streams that were opened.")

POOL_CONNECTIONS = _gauge("inbox_database_pool_connections", "Connections of the pool to PostgreSQL.", "state")
POOL_LIMIT = _gauge("inbox_database_pool_limit", "The most connections that the pool opens.")
REDIS_POOL_CONNECTIONS = _gauge("inbox_redis_pool_connections", "Connections of the pool to Redis.", "state")
REDIS_POOL_LIMIT = _gauge("inbox_redis_pool_limit", "The most connections that the pool to Redis opens.")

READS = _counter(
    "inbox_replica_reads_total",
    "Reads that a replica may answer: by the replica, or by the primary and why.",
    "outcome",
)
WAKEUPS_FAILED = _counter("inbox_wakeups_failed_total", "Wake-ups and references that Redis did not take.")
JOBS = _counter("inbox_jobs_total", "Jobs that a worker has run.", "queue", "outcome")
JOB_SECONDS = _histogram("inbox_job_duration_seconds", "How long a job ran.", SLOW, "queue")

ROUTED_EVENTS = _counter("inbox_routing_events_total", "Events that left the routing queue, by outcome.", "outcome")
ROUTING_BATCHES = _counter("inbox_routing_batches_total", "Batches of events that were committed.")
ROUTING_BATCH_SECONDS = _histogram(
    "inbox_routing_batch_duration_seconds", "How long a batch took, its commit included.", SLOW
)
ROUTING_LATENCY = _histogram(
    "inbox_routing_latency_seconds", "From the receipt of an event to the commit of its routing.", SLOW
)
ROUTING_FAILURES = _counter("inbox_routing_failures_total", "Batches and events whose routing raised an error.")

DELIVERY_ATTEMPTS = _counter(
    "inbox_delivery_attempts_total", "Calls to destinations, by what the delivery became.", "kind", "outcome"
)
DELIVERY_ATTEMPT_SECONDS = _histogram(
    "inbox_delivery_attempt_duration_seconds", "How long a call to a destination took.", FAST, "kind"
)
DELIVERY_LATENCY = _histogram(
    "inbox_delivery_latency_seconds", "From the making of a delivery to its success.", SLOW, "kind"
)
MAIL_ATTEMPTS = _counter("inbox_mail_attempts_total", "Mails handed to the mail server, by outcome.", "outcome")

MAILS_RECEIVED = _counter(
    "inbox_mail_in_messages_total", "Mails that senders handed in, by what became of them.", "outcome"
)
MAIL_RECIPIENTS_REFUSED = _counter(
    "inbox_mail_in_recipients_refused_total", "Recipients that were refused before the mail was sent.", "reason"
)
MAIL_CONNECTIONS = _gauge("inbox_mail_in_connections", "Connections of mail senders that are open.")
MAIL_CONNECTIONS_REFUSED = _counter(
    "inbox_mail_in_connections_refused_total", "Connections of mail senders beyond the limits."
)

TIMERS_FIRED = _counter("inbox_timers_fired_total", "Timers that were acted on, by outcome.", "kind", "outcome")
TIMER_LATENESS = _histogram("inbox_timer_lateness_seconds", "How late a timer was acted on.", SLOW)

SCHEDULER_ROUNDS = _counter("inbox_scheduler_rounds_total", "Rounds of a scheduler that holds the lock.")

HEARTBEAT_PINGS = _counter("inbox_heartbeat_pings_total", "Pings of heartbeat monitors, by kind, or throttled.", "kind")
HEARTBEAT_ALARMS = _counter(
    "inbox_heartbeat_events_total", "Events that heartbeat monitors made, by their cause.", "cause"
)
HEARTBEATS_EXCUSED = _counter(
    "inbox_heartbeats_excused_total", "Monitors whose ping may have been lost in an outage of this instance."
)
