"""People on call in the workspace that is compared with the model: their phones, and a schedule by the time of the day."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from inbox.database.base import new_id
from inbox.models.deliveries.destinations import Destination
from inbox.models.people.accounts import User
from inbox.models.people.devices import Device
from inbox.models.workspaces.tables import Workspace
from tests.cast import present, typeid
from tests.flow.model_compared import WEEK
from tests.flow.model_shapes import PHONE, Shape
from tests.oncall import a_layer, make_schedule


def a_phone(workspace: Workspace, person: User, name: str) -> Destination:
    """A phone of this person that chose the workspace."""
    device = Device.create(id=new_id(), user=person, name=name, created_at=present())
    made: Destination = Destination.create(
        id=new_id(), workspace=workspace, name=name, kind="web_push", device_id=device.id, created_at=present(), **PHONE
    )
    return made


def duty(workspace: Workspace, shape: Shape, phones: Mapping[str, User]) -> list[dict[str, Any]]:
    """The `people` of a step: whoever is on call by a schedule with a layer for each person."""
    layers = [
        {
            **a_layer(person), "id": typeid("lay", new_id()), "level": 1, "timezone": None, "from": None, "until": None,
            "counts": "all", "start": "2026-01-05T00:00",
            "windows": [{"days": WEEK, "start": start, "end": end} for start, end, of in shape.on_call if of == name],
        }
        for name, person in phones.items()
    ]  # fmt: skip
    made = make_schedule(workspace, name="Backend", layers=layers)
    return [{"scheduleId": typeid("sch", made.id)}]
