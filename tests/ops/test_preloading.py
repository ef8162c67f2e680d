"""The preloaded process before a fork: it holds nothing that a fork would break or share."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

from inbox.config.settings import Settings
from tests.database.pgbouncer import environment_of
from tests.ops.processes import PROJECT

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only /proc tells the threads and files of a process")

FOUND = """
import json, os, threading
from inbox.runtime import queue
from inbox.database import base

files = [os.readlink(f"/proc/self/fd/{each}") for each in os.listdir("/proc/self/fd") if os.path.exists(f"/proc/self/fd/{each}")]
print(json.dumps({
    "threads": [thread.name for thread in threading.enumerate()],
    "tasks": len(os.listdir("/proc/self/task")),
    "sockets": [each for each in files if each.startswith("socket:")],
}))
"""

WEB = f"""
import runpy
names = runpy.run_path("gunicorn.conf.py")
import wsgi
{FOUND}
import gc
from gevent import Greenlet, get_hub, monkey
assert names["preload_app"]
assert not [each for each in gc.get_objects() if isinstance(each, Greenlet)]
assert get_hub().loop.activecnt == 0, "something waits in the loop"
assert monkey.is_module_patched("socket") and monkey.is_module_patched("threading") and monkey.is_module_patched("ssl")
assert not monkey.is_object_patched("os", "fork"), "gunicorn itself waits for its workers"
assert not monkey.is_object_patched("signal", "signal")
assert base.pool_usage()[:2] == (0, 0)
assert queue.job_queues().pool_usage()[:2] == (0, 0)
"""


SUPERVISOR = f"""
from ops import up
from ops.forked import import_programs
assert set(import_programs()) == {{"worker", "scheduler"}}
{FOUND}
import gc, sys
assert gc.get_freeze_count() > 50_000
assert {{"jobs.routing", "jobs.delivery", "jobs.mail", "jobs.preview", "jobs.purge"}} <= set(sys.modules)
assert base.db.obj is None, "there is a pool of connections"
"""


def test_the_web_master_has_the_app_but_no_thread_connection_or_loop_when_it_forks(settings: Settings) -> None:
    assert _found(WEB, settings) == {"threads": ["MainThread"], "tasks": 1, "sockets": []}


def test_the_supervisor_has_the_jobs_but_no_thread_or_connection_when_it_forks(settings: Settings) -> None:
    assert _found(SUPERVISOR, settings) == {"threads": ["MainThread"], "tasks": 1, "sockets": []}


def _found(program: str, settings: Settings) -> object:
    environment = {
        **os.environ,
        **environment_of(settings),
        "REDIS_URL": settings.redis_url,
        "INBOX_SECRET_KEYS": settings.secret_keys,
        "INBOX_SIGNING_KEY": settings.signing_key,
    }
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=PROJECT, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)
