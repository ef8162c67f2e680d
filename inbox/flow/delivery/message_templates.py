"""The templates of a destination in a message (specification 9.17)."""

from __future__ import annotations

from dataclasses import replace

from inbox.destinations import WITH_TEMPLATES, Message
from inbox.destinations.templates import TemplateFault, TextTemplate
from inbox.models.deliveries.destination_state import DestinationState

NOTE = "The standard text was sent, because the template could not be used: {fault}."


def with_template(message: Message, destination: DestinationState) -> tuple[Message, str | None]:
    """Applies the destination's template to the message, and returns it with a note for the attempt.

    A template that cannot be used is left out and noted, so that no notice is lost because of it.
    """
    template = TextTemplate.of(destination.template) if destination.kind in WITH_TEMPLATES else None
    if template is None:
        return message, None
    templated = replace(message, template=template)
    try:
        _ = templated.content
    except TemplateFault as fault:
        return message, NOTE.format(fault=fault)
    return templated, None
