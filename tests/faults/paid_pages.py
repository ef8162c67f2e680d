"""SMS and calls to people during faults: a stand-in for Twilio that answers slowly, and the books of what costs money."""

from __future__ import annotations

import re
from dataclasses import replace

from tests.faults.service_processes import RunningService
from tests.stand_ins.receivers import Answer, Request
from tests.stand_ins.twilio import ACCOUNT, AUTH_TOKEN, NUMBER, TwilioServer

DELAY = 1.0
"""The seconds until Twilio answers. It has taken the message by then, so a worker that dies meanwhile leaves the doubt."""

PHONE = "+491700000001"
CHANNELS = {"twilio_sms": ("sms", "Body"), "twilio_voice": ("call", "Twiml")}
"""The channel of each kind, and the field of its requests that no other kind has."""


class SlowTwilio(TwilioServer):
    """Twilio that has taken a message before it answers. `codes` are the messages before the faults."""

    def __init__(self) -> None:
        super().__init__()
        self.delay, self.codes = 0.0, 0

    def _answered(self, request: Request) -> Answer:
        return replace(super()._answered(request), delay=self.delay)

    def add_methods(self, running_service: RunningService, workspace: str) -> list[str]:
        """Adds a provider and a confirmed contact method of the administrator for each kind. Returns the methods."""
        methods = []
        for kind in CHANNELS:
            config = {
                "accountSid": ACCOUNT, "keySid": ACCOUNT, "keySecret": AUTH_TOKEN, "from": NUMBER,
                "to": "+491700000009", "server": self.origin,
            }  # fmt: skip
            provider = {"workspaceId": workspace, "name": kind, "kind": kind, "config": config}
            made = running_service.call("POST", "/v1/destinations", {**provider, "forContactMethods": True})
            new = {"kind": kind, "address": PHONE, "providerId": made["id"]}
            methods.append(running_service.call("POST", "/v1/me/contact-methods", new)["id"])
            path = f"/v1/me/contact-methods/{methods[-1]}/confirm"
            running_service.call("POST", path, {"code": self._code()})
        self.delay, self.codes = DELAY, len(self.sent)
        return methods

    def _code(self) -> str:
        """The six digits that it was asked to send last. A call spells them."""
        form = self.sent[-1]
        words = form.get("Body") or form["Twiml"]
        return re.findall(r"(?:\d[ ,.]*){6}", words)[0].translate({ord(each): None for each in " ,."})

    def taken(self, kind: str) -> list[float]:
        """The times of the pages that it has taken, without codes."""
        field = CHANNELS[kind][1]
        pairs = list(zip(self.requests, self.sent, strict=True))[self.codes :]
        return [request.at for request, form in pairs if field in form]


def check_paid(running_service: RunningService, twilio: SlowTwilio) -> list[str]:
    """Checks what cost money, for SMS and calls. Returns a sentence for each.

    1. Nothing is sent that was not counted before, whatever dies.
    2. A person gets one message in a minute.
    3. A message is repeated only after an attempt that no worker recorded: it is not known whether the service took it.
    """
    sentences = []
    for kind, (channel, _) in CHANNELS.items():
        taken = twilio.taken(kind)
        [(counted,)] = running_service.ask("SELECT sum(count) FROM paid_messages WHERE channel = %s", channel)
        assert len(taken) + 1 <= counted, f"{kind}: {len(taken)} pages and a code, {counted} counted"
        lasted = taken[-1] - taken[0] if taken else 0.0
        assert len(taken) <= lasted / 60 + 2, f"{kind}: {len(taken)} in {lasted:.0f} s"
        [(attempts, recorded, sent)] = running_service.ask(
            "SELECT coalesce(sum(d.attempt), 0),"
            " coalesce(sum((SELECT count(*) FROM delivery_attempts a WHERE a.delivery_id = d.id)), 0),"
            " count(*) FILTER (WHERE d.status = 'sent') FROM deliveries d JOIN destinations t ON t.id = d.destination_id"
            " AND t.owner_id IS NOT NULL AND t.kind = %s",
            kind,
        )
        interrupted, repeated = attempts - recorded, len(taken) - sent
        assert 0 <= repeated <= interrupted, f"{kind}: {repeated} repeated, {interrupted} interrupted"
        sentences.append(f"{kind}: {sent} sent, {repeated} of them repeated after {interrupted} interrupted attempts")
    return sentences
