"""Creates destinations over HTTP."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from inbox.database.base import new_id
from inbox.destinations import Config
from inbox.models.deliveries.destinations import Destination
from inbox.models.deliveries.tables import Delivery
from inbox.runtime import sealing
from tests.api.stage import Stage
from tests.browser import Browser
from tests.cast import Cast, present, typeid
from tests.stand_ins.outgoing_posts import owe
from tests.stand_ins.receivers import SECRET, Receiver

Browsers = Callable[[str], Browser]


@pytest.fixture
def workspace(cast: Cast) -> str:
    return typeid("wsp", cast.workspace.id)


def path(destination: Destination, act: str = "") -> str:
    return f"/v1/destinations/{typeid('dst', destination.id)}{act}"


def new(workspace: str, receiver: Receiver, **changes: Any) -> dict[str, Any]:
    config = {"url": receiver.url, "secret": SECRET}
    return {"workspaceId": workspace, "name": "On-call", "kind": "webhook", "config": config, **changes}


NOTICE = """{"type": "incident.opened", "timestamp": "2026-11-21T09:00:00.000Z", "data": {"v": 1, "reason": "opened",
"title": "Disk full", "severity": "ERROR", "state": "open", "resource": "db-1", "sourceName": "Backups",
"workspaceName": "Acme", "url": "https://inbox.example.org/i/1"}}"""


def text_preview(stage: Stage) -> dict[str, Any]:
    """An order to preview the standard text on an incident that has a notice."""
    owe(Destination.get_by_id(stage.destination_id), stage.incident, Delivery.select().count(), body=NOTICE)
    ids = {"workspaceId": typeid("wsp", stage.workspace.id), "incidentId": typeid("inc", stage.incident.id)}
    return {**ids, "template": {}}


def unusable_subscription(stage: Stage) -> None:
    """The device has a subscription that calls nobody."""
    stage.device, made = stage.device_id(), new_id()
    place = sealing.associated_data("destinations", made, stage.workspace.id, "sealed")
    Destination.create(
        id=made, workspace=stage.workspace, name="Phone", kind="web_push", device_id=stage.device, created_at=present(),
        sealed=sealing.current().seal(Config({}).to_seal(), place),
    )  # fmt: skip
