"""Loads one entry of a file by the schema of its kind: keys become ids, references to secrets become secrets."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from typing import Any

import marshmallow as ma

from inbox.api.configuration import shapes, workspace_shape
from inbox.api.configuration.adoption import Exchanger, Standing
from inbox.api.configuration.exports import CALENDAR
from inbox.api.configuration.files import Entry
from inbox.api.configuration.secrets import SecretReader, fields_of, stored
from inbox.api.http.parsing import faults as faults_of
from inbox.api.insight.schemas.views import LISTS
from inbox.domain.values.refusals import Fault, ValidationFailed
from inbox.flow.delivery.senders import decrypted_config
from inbox.flow.oncall.calendar_files import CalendarFailed
from inbox.models.deliveries import results as delivery_results
from inbox.services.oncall import calendars

FIXED = "Cannot be changed. Give the record another key: then a new one is created."
NOT_RECURRING = "Required: files keep silences that recur."


@dataclass(slots=True)
class Loader:
    """An entry on its way to the use case. `environment` has the variables of secrets."""

    entry: Entry
    standing: Standing
    environment: Mapping[str, str] = field(repr=False)
    failed: set[tuple[str, str]]
    _loaded: dict[str, Any] = field(default_factory=dict, repr=False)
    _config: dict[str, Any] = field(default_factory=dict, repr=False)

    def faults(self, row: Any) -> list[Fault]:
        """Loads the entry for a new record, or for the row that it changes. Returns the faults."""
        section, exchanger = self.entry.section, self.standing.exchange(self.failed)
        document = shapes.exchanged(section.shape, shapes.filled(self.entry.document, section.defaults), exchanger)
        faults = self._prepare(document, row, exchanger)
        try:
            self._loaded = section.shape.load(document)
        except ma.ValidationError as wrong:
            faults += _others(wrong, exchanger)
        if row is not None and not faults:
            faults += self._fixed_faults(row)
        return [*exchanger.faults, *faults]

    def fields(self, row: Any) -> dict[str, Any]:
        """Returns the fields for the use case. The settings of a destination are left out when they do not change."""
        if row is not None and self.entry.section.record_type == "schedule" and not self.changed_secrets(row):
            return {name: value for name, value in self._loaded.items() if name != "calendar_url"}
        if self.entry.section.record_type != "destination":
            return self._loaded
        if row is not None and not self.changed_secrets(row) and self._public(self._config) == self._public_of(row):
            return {name: value for name, value in self._loaded.items() if name != "config"}
        missing = (
            {each.name: each.default for each in fields_of(self.entry.document["kind"])} if row is not None else {}
        )
        return {**self._loaded, "config": {**missing, **self._config}}

    def equals(self, document: Mapping[str, Any]) -> bool:
        """Returns whether a stored document is the document of the file, apart from defaults."""
        section = self.entry.section
        reduced = partial(shapes.reduced, section.shape, defaults=section.defaults)
        return reduced(shapes.filled(self.entry.document, section.defaults)) == reduced(
            {name: value for name, value in document.items() if name in self._given()}
        )

    def changed_secrets(self, row: Any) -> list[str]:
        """Returns the names of the secrets of a record that differ from the stored ones."""
        if self.entry.section.record_type == "schedule":
            before_address, address = _followed(row), self._loaded.get("calendar_url")
            return [] if before_address == (address and calendars.address(address)) else [CALENDAR]
        if self.entry.section.record_type != "destination":
            return []
        before = stored(row.kind, decrypted_config(delivery_results.read(row.id)))
        names = [each.name for each in fields_of(row.kind) if each.secret]
        return [name for name in names if (self._config.get(name) or None) != before.get(name)]

    def _given(self) -> set[str]:
        """Returns the fields that the file decides: those that it has, and those with a default."""
        return self.entry.document.keys() | self.entry.section.defaults.keys()

    def _prepare(self, document: dict[str, Any], row: Any, exchanger: Exchanger) -> list[Fault]:
        """Prepares the parts of a document that a schema alone does not load."""
        faults: list[Fault] = []
        match self.entry.section.record_type:
            case "destination" if isinstance(document.get("config"), dict):
                self._config = self._reader.config(str(document.get("kind")), document["config"], faults)
                document["config"] = self._config
            case "schedule":
                if document.get(CALENDAR) is not None:
                    document[CALENDAR] = self._reader.text(document[CALENDAR], f"/{CALENDAR}", faults)
                if row is not None and isinstance(document.get("layers"), list):
                    document["layers"] = _with_ids(document["layers"], row.layers)
            case "silence" if not document.get("recurrence"):
                faults.append(Fault("/recurrence", NOT_RECURRING))
            case "view" if (
                isinstance(document.get("filters"), dict) and str(document.get("list", "incidents")) in LISTS
            ):
                schema = LISTS[str(document.get("list", "incidents"))]()
                document["filters"] = shapes.exchanged(schema, document["filters"], exchanger.of_filter, "/filters")
        return faults

    @property
    def _reader(self) -> SecretReader:
        return SecretReader(self.environment, self.entry.file.directory)

    def _fixed_faults(self, row: Any) -> list[Fault]:
        section = self.entry.section
        return [
            Fault(f"/{section.shape.fields[name].data_key}", FIXED)
            for name in section.fixed
            if name in self._loaded and self._loaded[name] != getattr(row, name)
        ]

    def _public(self, config: Mapping[str, Any]) -> dict[str, Any]:
        """Returns the settings that are no secrets and not their defaults."""
        public = [each for each in fields_of(self.entry.document["kind"]) if not each.secret]
        return {each.name: config[each.name] for each in public if config.get(each.name, each.default) != each.default}

    def _public_of(self, row: Any) -> dict[str, Any]:
        return self._public(delivery_results.read(row.id).config)


def _followed(row: Any) -> str | None:
    """Returns the address of the calendar of a schedule; None without one, and empty when it cannot be unsealed."""
    if calendars.of_schedule(row.id) is None:
        return None
    try:
        return calendars.stored_address(row)
    except CalendarFailed:
        return ""


def apply_workspace(document: Mapping[str, Any], exchanger: Exchanger, now: datetime) -> None:
    """Loads the part of a file about the workspace, and applies it. Raises `ValidationFailed`."""
    try:
        fields = workspace_shape.loaded(document, exchanger)
    except ma.ValidationError as wrong:
        raise ValidationFailed(errors=[*exchanger.faults, *_others(wrong, exchanger)]) from None
    workspace_shape.apply(exchanger.standing.workspace_id, fields, now)


def _others(wrong: ma.ValidationError, exchanger: Exchanger) -> list[Fault]:
    """Returns the faults of a document, except those of unknown keys, which the exchange tells better."""
    known = {each.pointer for each in exchanger.faults}
    return [each for each in faults_of(wrong.normalized_messages()) if each.pointer not in known]


def _with_ids(layers: list[Any], before: list[dict[str, Any]]) -> list[Any]:
    """Returns the layers of a file with the ids of the stored ones of the same names."""
    left = {each["name"]: each["id"] for each in reversed(before)}
    return [
        {**layer, "id": left.pop(layer["name"])}
        if isinstance(layer, dict) and str(layer.get("name")) in left
        else layer
        for layer in layers
    ]
