"""A file that is imported is read in a thread of its own: its queries hold up no other request (specification 22.7)."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.intake.importers.test_servers import database
from tests.ops.processes import PROJECT

CODE = """
from gevent import monkey; monkey.patch_all()
import sqlite3, sys
from inbox.intake.importers.registry import KINDS
from inbox.models.sql import base
from inbox.services import import_reading
get_ident, connect, threads = monkey.get_original("_thread", "get_ident"), sqlite3.connect, []

def noted(*args):
    threads.append(get_ident())
    return connect(*args)

sqlite3.connect = noted
base.open_database("postgresql:///nobody", application="inbox", connections=1)
plan = import_reading.read(import_reading.Draft(KINDS["uptime_kuma"], file=sys.stdin.buffer.read()))
print(len(plan.items), len(threads), threads[0] != get_ident())
"""


@pytest.mark.slow
def test_a_database_is_read_outside_of_the_event_loop() -> None:
    ran = subprocess.run([sys.executable, "-c", CODE], input=database(), capture_output=True, check=False, cwd=PROJECT)

    assert ran.stdout == b"3 1 True\n", ran.stderr.decode()
