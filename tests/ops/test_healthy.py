"""The health check of a container asks the part that runs in it, and believes only the answer 200."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from ops.healthy import address, main
from tests.runner.ports import free_port
from tests.stand_ins.receivers import Answer, Receiver


@pytest.fixture
def part() -> Iterator[Receiver]:
    with Receiver() as receiver:
        yield receiver


@pytest.mark.parametrize(
    ("environment", "asked"),
    [
        ({}, ("127.0.0.1", 8080, "/healthz")),
        ({"INBOX_HOST": "0.0.0.0", "INBOX_PORT": "8081"}, ("127.0.0.1", 8081, "/healthz")),
        ({"INBOX_HOST": "::"}, ("::1", 8080, "/healthz")),
        ({"INBOX_BASE_URL": "https://example.org/alerts"}, ("127.0.0.1", 8080, "/alerts/healthz")),
        (
            {"INBOX_BASE_URL": "https://example.org/alerts", "INBOX_METRICS_PORT": "9090"},
            ("127.0.0.1", 9090, "/healthz"),
        ),
        ({"INBOX_METRICS_PORT": "0"}, ("127.0.0.1", 8080, "/healthz")),
    ],
)
def test_the_check_asks_the_port_of_the_part(environment: dict[str, str], asked: tuple[str, int, str]) -> None:
    assert address(environment) == asked


def test_a_part_that_answers_is_healthy(part: Receiver) -> None:
    assert main({"INBOX_PORT": str(part.port)}) == 0
    assert [(each.method, each.path) for each in part.requests] == [("GET", "/healthz")]


def test_a_part_that_answers_with_a_fault_is_not_healthy(part: Receiver, capsys: pytest.CaptureFixture[str]) -> None:
    part.answer = Answer(503)

    assert main({"INBOX_METRICS_PORT": str(part.port)}) == 1
    assert capsys.readouterr().err == f"127.0.0.1:{part.port}/healthz answers 503\n"


def test_a_part_that_does_not_answer_is_not_healthy(capsys: pytest.CaptureFixture[str]) -> None:
    port = free_port()

    assert main({"INBOX_PORT": str(port)}) == 1
    assert capsys.readouterr().err.startswith(f"127.0.0.1:{port} does not answer: ")
