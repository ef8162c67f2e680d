"""Settings of each kind: validation of each field, kept values in edits, and no visible secret."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pytest

from inbox.destinations import KINDS, Config
from inbox.destinations.descriptors import FieldType
from inbox.domain.values.addresses import AddressRefused, UrlFault
from inbox.domain.values.refusals import ValidationFailed
from tests.destinations.kinds.cases import CASES, rows
from tests.destinations.kinds.stand_in import Case, vet

case = pytest.mark.parametrize("case", CASES.values(), ids=CASES)
CHANGES = rows("REFUSED")


def refusing(url: str) -> None:
    """The check of addresses, which takes https alone."""
    if not url.startswith("https://"):
        raise AddressRefused(UrlFault.SCHEME)


def faults(case: Case, config: Mapping[str, Any], stored: Config | None = None) -> dict[str, str]:
    with pytest.raises(ValidationFailed) as refused:
        KINDS[case.kind].validate(config, refusing, stored)
    return {fault.pointer: fault.detail for fault in refused.value.errors}


def secrets_of(case: Case) -> list[str]:
    return [value for value in case.config.secrets.values() if "://" not in value] + [
        value.rsplit("/", 1)[1] for value in case.config.secrets.values() if "://" in value
    ]


@pytest.mark.parametrize(("name", "change", "names"), CHANGES)
def test_settings_that_cannot_be_used_are_refused_field_by_field(
    name: str, change: dict[str, Any], names: set[str]
) -> None:
    found = faults(CASES[name], {**CASES[name].settings, **change})

    assert set(found) == {f"/config/{each}" for each in names}
    assert "Secret" not in "".join(found.values())


@case
def test_settings_are_taken_and_no_secret_is_shown(case: Case) -> None:
    config = KINDS[case.kind].validate(case.settings, refusing)

    fields = {each.name: each for each in KINDS[case.kind].description.fields}
    assert {name for name in case.settings if fields[name].secret} == set(config.secrets)
    assert {name for name in case.settings if not fields[name].secret} <= set(config.public)
    assert secrets_of(case)
    assert not any(secret in json.dumps(config.public) + repr(config) for secret in secrets_of(case))
    assert Config.unsealed_from(config.public, config.to_seal()) == config


@case
def test_an_edit_of_settings_keeps_omitted_fields(case: Case) -> None:
    assert KINDS[case.kind].validate({}, refusing, case.config) == case.config


@case
def test_an_edit_replaces_one_setting_and_keeps_the_secrets(case: Case) -> None:
    for name, value in case.settings.items():
        if name in case.config.secrets:
            continue
        edited = KINDS[case.kind].validate({name: value}, refusing, case.config)
        assert edited == case.config


@case
def test_each_required_field_must_be_given(case: Case) -> None:
    for field in KINDS[case.kind].description.fields:
        if field.required and field.default is None:
            without = {name: value for name, value in case.settings.items() if name != field.name}
            assert f"/config/{field.name}" in faults(case, without)
            assert f"/config/{field.name}" in faults(case, {field.name: None}, case.config)


@case
@pytest.mark.parametrize("value", [[], {}, 1.5, "a\nb", "\x00", "x" * 5_000, "\ud800"])
def test_values_of_other_types_and_forms_are_refused(case: Case, value: Any) -> None:
    for field in KINDS[case.kind].description.fields:
        if (field.type, value) != (FieldType.HEADERS, {}):  # none, which is no fault
            assert f"/config/{field.name}" in faults(case, {**case.settings, field.name: value}), field.name


@case
def test_a_setting_of_another_kind_is_refused(case: Case) -> None:
    found = faults(case, {**case.settings, "colour": "SecretColour", "a/b": 1})

    assert set(found) == {"/config/colour", "/config/a~1b"}
    assert "SecretColour" not in "".join(found.values())


def test_defaults_are_stored() -> None:
    assert CASES["ntfy"].config.public["server"] == "https://ntfy.sh"
    assert CASES["pushover"].config.public["emergency"] is True
    assert KINDS["pagerduty"].validate({"routingKey": "a" * 32}, vet).public["region"] == "us"


def test_a_stored_password_is_shown_only_as_a_placeholder() -> None:
    config = KINDS["ntfy"].validate({"topic": "ops", "user": "olga", "password": "SecretPassword"}, vet)

    assert config.public["passwordHint"] == "…"
