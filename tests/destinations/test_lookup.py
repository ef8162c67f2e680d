"""Look-ups of names: slow names of users hold up neither names of the operator nor other threads (specification 9.6)."""

from __future__ import annotations

import subprocess
import sys
import threading
import time

import pytest

from inbox.destinations.lookup import OF_USERS, system_resolver, within, zone_of
from tests.ops.processes import PROJECT

IMPORTS = """
from gevent import monkey; monkey.patch_all()
import signal, socket
import gevent
from inbox.destinations.http import Client
from inbox.destinations.lookup import OF_OPERATOR, OF_USERS, system_resolver, within
from inbox.destinations.provider_client import ProviderClient
from inbox.domain.values.addresses import AddressRefused, OutboundPolicy
signal.alarm(60)  # a look-up that is held up ends the process, and fails the test
started, answered = [], monkey.get_original("threading", "Event")()
"""

PREPARE = """
def slow(host, port):
    started.append(host)
    answered.wait(50)
    return ["198.51.100.1"]

def of_user(number):
    try:
        return within(2.0, lambda: slow(f"{number}.example", 80), OF_USERS)
    except TimeoutError:
        return "late"

requested = [gevent.spawn(of_user, number) for number in range(20)]
while len(started) < 16:
    gevent.sleep(0.01)
"""


def green(code: str, prepare: str = PREPARE) -> str:
    ran = subprocess.run(
        [sys.executable, "-c", IMPORTS + prepare + code], capture_output=True, text=True, check=False, cwd=PROJECT
    )
    assert (ran.returncode, ran.stderr) == (0, "")
    return ran.stdout


@pytest.mark.slow
def test_slow_names_of_users_hold_up_no_name_of_the_operator() -> None:
    code = """
def refused(client):
    try:
        return client.vet("https://private.example/")
    except AddressRefused:
        return "refused"

policy = OutboundPolicy(False, False)
print(len(within(30, lambda: system_resolver("127.0.0.1", 80), OF_OPERATOR)))
print(len(socket.getaddrinfo("127.0.0.1", 80, type=socket.SOCK_STREAM)))
print(refused(ProviderClient(policy, resolver=lambda host, port: ["10.0.0.1"])), len(started))
"""
    assert green(code).split() == ["1", "1", "refused", "16"]


@pytest.mark.slow
def test_a_look_up_whose_caller_gave_up_before_a_thread_was_free_is_left_out() -> None:
    code = """
late = [each.get() for each in requested]
answered.set()
print(set(late), within(30, lambda: slow("last.example", 80), OF_USERS), len(started), started[-1])
gevent.sleep(0.5)  # Python 3.12.1 crashes when it exits while greenlets of look-ups end
"""
    assert green(code) == "{'late'} ['198.51.100.1'] 17 last.example\n"


@pytest.mark.slow
def test_a_client_whose_names_wait_for_a_thread_times_out() -> None:
    code = """
client = Client(OutboundPolicy(False, False), resolver=lambda host, port: ["10.0.0.1"], deadline=0.2)
print(client.post("https://private.example/", b"", {}).failure)
answered.set()
patient = Client(OutboundPolicy(False, False), resolver=lambda host, port: ["10.0.0.1"], deadline=30)
print(patient.post("https://private.example/", b"", {}).failure)
"""
    assert green(code).split() == ["timeout", "address_refused"]


@pytest.mark.slow
def test_slow_names_of_one_zone_leave_threads_to_names_of_others() -> None:
    code = """
def resolve(host, port):
    started.append(host)
    if host.endswith("slow.example"):
        answered.wait(50)
    return ["10.0.0.1"]

client = Client(OutboundPolicy(False, False), resolver=resolve, deadline=40)
calls = [gevent.spawn(client.post, f"https://n{number}.Slow.example/", b"", {}) for number in range(20)]
while len(started) < 4:
    gevent.sleep(0.01)
print(client.post("https://other.example/", b"", {}).failure, len(started))
answered.set()
print({call.get().failure for call in calls}, len(started))
"""
    assert green(code, prepare="").splitlines() == [
        "address_refused 5",
        "{<FailureReason.ADDRESS_REFUSED: 'address_refused'>} 21",
    ]


@pytest.mark.parametrize(
    ("host", "zone"),
    [("a.b.Example.org.", "example.org"), ("example.org", "example.org"), ("localhost", "localhost"), ("", "")],
)
def test_a_zone_is_the_last_two_labels_of_a_name(host: str, zone: str) -> None:
    assert zone_of(host) == zone


def test_each_look_up_has_a_thread_without_gevent() -> None:
    together = threading.Barrier(40)

    def meet() -> list[str]:
        together.wait(30)
        return ["198.51.100.1"]

    threads = [threading.Thread(target=within, args=(30, meet, OF_USERS)) for _ in range(39)]
    for thread in threads:
        thread.start()

    assert within(30, meet, OF_USERS) == ["198.51.100.1"]
    for thread in threads:
        thread.join(30)


def test_a_name_that_does_not_resolve_has_no_address_and_a_slow_one_is_given_up() -> None:
    def unknown() -> list[str]:
        raise OSError

    def slow() -> list[str]:
        time.sleep(0.3)
        return ["198.51.100.1"]

    assert within(30, unknown, OF_USERS) == ()
    assert within(30, lambda: system_resolver("127.0.0.1", 80), OF_USERS) == ["127.0.0.1"]
    with pytest.raises(TimeoutError):
        within(0.05, slow, OF_USERS)


@pytest.mark.parametrize("seconds", [0.0, -1.0])
def test_no_name_is_looked_up_after_the_deadline(seconds: float) -> None:
    requested = []

    def look_up() -> list[str]:
        requested.append("name")
        return ["198.51.100.1"]

    with pytest.raises(TimeoutError):
        within(seconds, look_up, OF_USERS)

    assert requested == []
