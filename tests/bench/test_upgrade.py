"""The counts after an upgrade: each that must be zero is a fault when it is not."""

from __future__ import annotations

import pytest

from bench.upgrade_checks import faults
from bench.upgrade_sender import Sender
from tests.receivers import Answer, Receiver

GREEN = {
    "events lost": 0,
    "accepted events that are not stored": 0,
    "events not routed": 0,
    "deliveries not settled": 0,
    "deliveries failed": 0,
    "incidents of the upgrade without a webhook": 0,
    "timers overdue": 0,
    "incidents still snoozed": 0,
    "previews not done": 0,
    "webhooks received": 12,
    "deliveries sent": 12,
}


def test_an_upgrade_without_a_loss_has_no_fault() -> None:
    assert faults(GREEN) == []


@pytest.mark.parametrize("name", [name for name, value in GREEN.items() if not value])
def test_a_count_that_must_be_zero_is_a_fault_otherwise(name: str) -> None:
    assert faults({**GREEN, name: 1}) == [f"FAULT: {name}: 1"]


def test_a_delivery_that_nobody_received_is_a_fault() -> None:
    assert len(faults({**GREEN, "webhooks received": 11})) == 1


def test_an_event_is_sent_until_it_is_accepted() -> None:
    with Receiver(Answer(202)) as receiver:
        receiver.script(503, 503)
        with Sender("key") as sender:
            sender.send_to(receiver.port)
            receiver.wait_for(4)
            sender.stop()

        keys = [request.headers["idempotency-key"] for request in receiver.requests]
        assert keys[:4] == ["upgrade-1", "upgrade-1", "upgrade-1", "upgrade-2"]
        assert "Upgrade 1" in sender.accepted and sender.repeated == 2
