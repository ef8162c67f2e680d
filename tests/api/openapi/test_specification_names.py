"""The specification has every state, every member of a webhook, and every field of the API by its name."""

from __future__ import annotations

import re

from app import create_app
from inbox.config.settings import Settings
from inbox.domain.deliveries.notices import payload_of_test
from inbox.domain.incidents.state_machine import State
from tests.api.openapi.test_specification import quoted, sections
from tests.domain.deliveries.test_notices import NOW


def test_states_and_members_of_a_webhook_are_listed() -> None:
    described = set(re.findall(r"`data\.(\w+)`", sections()["10.2"]))

    assert set(State) <= quoted("3.1", "The states are")
    assert payload_of_test("Ops", "https://inbox.example", NOW)["data"].keys() <= described


def test_every_field_and_parameter_of_the_api_is_named(settings: Settings) -> None:
    document = create_app(settings).test_client().get("/v1/openapi.json").json
    prose = re.sub(r"```\w*\n(.*?)```", r"`\1`", "\n".join(sections().values()), flags=re.DOTALL)
    words = {word for code in re.findall("`([^`]+)`", prose) for word in re.findall(r"[\w-]+", code)}
    members = {
        f"{name}.{member}"
        for name, schema in document["components"]["schemas"].items()
        for member in schema.get("properties", {})
    }
    parameters = {
        f"{path}.{parameter['name']}"
        for path, item in document["paths"].items()
        for operation in item.values()
        if isinstance(operation, dict)
        for parameter in operation.get("parameters", [])
        if parameter.get("in") in ("query", "header")
    }

    assert len(members) > 400
    assert {name for name in members | parameters if name.rpartition(".")[2] not in words} == set()
