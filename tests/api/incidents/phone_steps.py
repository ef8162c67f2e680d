"""People who are paged by phone, and what Twilio reports of their answers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from xml.etree.ElementTree import Element

from flask import Flask
from werkzeug.test import TestResponse

from inbox.config.settings import current
from inbox.flow.delivery.deliver import deliver
from inbox.models.deliveries.destinations import Destination
from inbox.models.incidents.tables import Incident
from inbox.models.people.accounts import User
from tests.cast import Cast, present, typeid
from tests.flow.notices.paging_steps import paging
from tests.flow.notices.paid_steps import number_of
from tests.flow.plans import follow
from tests.flow.routing_fixtures import incident, routed
from tests.stand_ins import twiml
from tests.stand_ins.twilio import AUTH_TOKEN, MIAS, TwilioServer


@dataclass
class Phones:
    """People with numbers at one provider. `after` is a step that follows."""

    cast: Cast
    app: Flask
    twilio: TwilioServer
    provider: Destination

    def paged(self, *people: User, address: str = MIAS, **more: Any) -> Incident:
        """An incident that paged these people, whose number this is, just now."""
        for person in people:
            number_of(person, address, self.provider)
        follow(self.cast.workspace, paging(0, *people), paging(60, self.cast.users["olga"]))
        opened = incident(routed(self.cast.source, present(), **more).id)
        deliver(present)
        return opened

    def page_again(self, **more: Any) -> Incident:
        opened = incident(routed(self.cast.source, present(), **more).id)
        deliver(present)
        return opened

    @property
    def key_url(self) -> str:
        """Where the last call reports keys."""
        gather = twiml.checked(self.twilio.sent[-1]["Twiml"]).find("Gather")
        assert gather is not None
        return gather.attrib["action"]

    def press(self, key: str, *, url: str = "", token: str = AUTH_TOKEN, call: str = "CA1") -> TestResponse:
        """Twilio reports a key of the last call, or of the call with this address."""
        return self._post(url or self.key_url, {"Digits": key, "CallSid": call, "From": MIAS}, token)

    def text(self, words: str, *, sender: str = MIAS, token: str = AUTH_TOKEN, id: str = "SM1") -> TestResponse:
        """Twilio reports a text message."""
        path = f"{current().base_url}/v1/destinations/{typeid('dst', self.provider.id)}/text-messages"
        return self._post(path, {"From": sender, "Body": words, "MessageSid": id, "To": "+15550100"}, token)

    def _post(self, url: str, form: dict[str, str], token: str) -> TestResponse:
        assert url.startswith(current().base_url)
        headers = self.twilio.signed(url, form, token)
        return self.app.test_client().post(url.removeprefix(current().base_url), data=form, headers=headers)


def said(answer: TestResponse) -> str:
    """What the answer of this instance makes Twilio say or send."""
    assert (answer.status_code, answer.mimetype) == (200, "text/xml"), answer.text
    found: Element = twiml.checked(answer.text)
    return " ".join(each.text or "" for each in found.iter() if each.tag in ("Say", "Message"))
