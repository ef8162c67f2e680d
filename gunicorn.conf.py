"""The configuration of gunicorn: gevent workers for thousands of streams, graceful stops, no secrets in logs.

Started by `bin/web`. Everything an operator sets is in the environment (`docs/configuration.md`).
"""

import gc
import os
import resource
import sys

from gevent import monkey
from gunicorn.http import message

if not monkey.is_module_patched("socket"):  # this file is read again at a SIGHUP
    # The workers share all imports here, which must be built on patched modules. This process itself runs on the rest,
    # which `ops.web.Worker.patch` replaces in each worker.
    monkey.patch_all(os=False, signal=False, subprocess=False, queue=False, time=False)

from inbox.config import settings as settings_module
from inbox.config.settings import Settings, SettingsInvalid
from inbox.runtime import logs
from ops.web import QuietLogger

try:
    settings = Settings.from_env()
except SettingsInvalid as invalid:
    sys.exit("The settings cannot be used:\n" + "\n".join(f"  {fault}" for fault in invalid.faults))

settings_module.use(settings)
logs.start(settings.log_level, application="inbox-web")

wsgi_app = "wsgi:app"
bind = f"[{settings.host}]:{settings.port}" if ":" in settings.host else f"{settings.host}:{settings.port}"

worker_class = "ops.web.Worker"
workers = settings.web_workers
worker_connections = 10_000  # of each worker; ops/connection_limits.py keeps them below: 5,000, and 4,000 streams
preload_app = (
    True  # the workers share what it takes; it opens no connection and starts no thread before they are forked
)
worker_tmp_dir = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None  # the heartbeat must not wait for a disk

limit_request_line = message.MAX_REQUEST_LINE = 32 * 1024  # a push with a long message fits, each letter as `%C3%BC`
http_parser = "python"  # the tests compare plain requests with this one; `auto` takes another where it is installed

timeout = 30
graceful_timeout = 20
keepalive = 15  # to read a head; less would cut off senders in time at a busy process; idle connections: ops/web.py

control_socket_disable = True  # its default path is shared by all instances of a user
forwarded_allow_ips = ""  # neither the scheme nor the path is taken from a header; the base URL is a setting
accesslog = None
loglevel = "info"  # at debug it prints requests
logger_class = QuietLogger


def on_starting(server):
    """Raises the soft limit of open files, which is often 1,024. Each stream is an open file."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    target = 65_536 if hard == resource.RLIM_INFINITY else min(hard, 65_536)
    if soft != resource.RLIM_INFINITY and soft < target:
        try:
            resource.setrlimit(resource.RLIMIT_NOFILE, (target, hard))
        except (OSError, ValueError):
            server.log.warning("at most %d open files", soft)


def when_ready(server):
    """Freezes the loaded app before the workers are forked. A search for cycles would write to every shared page."""
    gc.collect()
    gc.freeze()


def post_worker_init(worker):
    """Takes the name of the process among the metrics, and its only subscription to the feed, which also ends streams.

    It reports that it can receive pings of heartbeat monitors. Loaded objects stay for good. The search for cycles
    would read all of them each time, and requests would wait some 50 to 100 ms.
    """
    import gevent

    from inbox.database.base import db
    from inbox.database.migrate import report_difference
    from inbox.database.replica import report_other_system
    from inbox.database.role_settings import report_lacking
    from inbox.flow.heartbeats import availability
    from inbox.live import hub
    from inbox.runtime import metrics
    from inbox.runtime.metrics import processes

    processes.expose("web", settings.metrics_dir)
    worker.count_plain = metrics.HTTP_PLAIN.inc
    hub.start(worker)
    availability.start(worker)
    gevent.spawn(report_difference, db)
    if settings.database_pooler:
        gevent.spawn(report_lacking, db)
    if settings.read_database_url:
        gevent.spawn(report_other_system)
    gc.collect()
    gc.freeze()
