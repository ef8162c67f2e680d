"""HTTP request: sends a request of the administrator's own form, for programs that want another body than the webhook's."""

from __future__ import annotations

from inbox.destinations import setting_fields
from inbox.destinations.base import Config, Message
from inbox.destinations.descriptors import FieldDescription, FieldType, Icon, KindDescription, Limits
from inbox.destinations.http import Client
from inbox.destinations.http_request import body_templates
from inbox.destinations.http_request.body_templates import Form
from inbox.destinations.service import ServiceKind
from inbox.destinations.templates import LONGEST_VALUE, TemplateFault
from inbox.domain.deliveries.delivery import FailureReason, Receipt
from inbox.domain.explaining.notice_content import NoticeContent
from inbox.domain.values.addresses import LONGEST_URL
from inbox.domain.values.refusals import Fault

LONGEST_VALUES = (LONGEST_VALUE, 500, 150, 50)
"""The maximum lengths of a value of a parameter. The first that gives an allowed address is used."""

METHODS = ("POST", "PUT", "PATCH", "GET")
STANDARD_BODY = (
    '{"title": "{{ title }}", "text": "{{ sentence }}", "status": "{{ status }}", "severity": "{{ severity }}",'
    ' "url": "{{ url }}"}'
)


class HttpRequest(ServiceKind):
    """Settings: `{url, query, method, contentType, body, headers, key}`."""

    description = KindDescription(
        kind="http_request",
        position=15,
        label="HTTP request",
        summary="A request with a method, headers and a body of your own, for automations, ticket systems and SMS gateways.",
        target="url",
        icon=Icon.WEBHOOK,
        limits=Limits(text_length=body_templates.LONGEST_RESULT),
        fields=(
            FieldDescription(
                name="url",
                label="Address",
                type=FieldType.URL,
                help="https, or http to a private address.",
                example="https://example.org/api/tickets",
                max_length=LONGEST_URL,
            ),
            setting_fields.choice("method", "Method", "GET has no body.", METHODS),
            setting_fields.choice(
                "contentType", "Type of the body", "It decides how texts are escaped.", map(str, Form)
            ),
            FieldDescription(
                name="body",
                label="Body",
                type=FieldType.TEMPLATE,
                help="A template with the variables of message texts, such as {{ title }}. In JSON, variables stand in quotes.",
                example=STANDARD_BODY,
                required=False,
                default=STANDARD_BODY,
                max_length=body_templates.LONGEST_TEMPLATE,
            ),
            FieldDescription(
                name="query",
                label="Parameters",
                type=FieldType.TEXT,
                help="A template for what follows the ? of the address.",
                example="to=%2B491700000000&text={{ title }}",
                required=False,
                max_length=LONGEST_URL,
            ),
            setting_fields.headers("Up to 10 headers of the request.", "Authorization: Bearer XXXX"),
            FieldDescription(
                name="key",
                label="Key",
                type=FieldType.SECRET,
                help="A key or password that the body or the parameters need. Templates name it {{ key }}.",
                example="XXXXXXXXXXXX",
                required=False,
                secret=True,
                sent_to=("url",),
                pattern=r"[A-Za-z0-9._~+/=:@#$%!*?,;-]{4,512}",
            ),
        ),
    )

    def faults(self, config: Config) -> list[Fault]:
        form = Form(config.public["contentType"])
        texts = {
            "body": (str(config.public.get("body", "")), form),
            "query": (str(config.public.get("query", "")), Form.FORM),
        }
        found = [
            Fault(f"/config/{name}", fault)
            for name, (text, of_field) in texts.items()
            for fault in [body_templates.fault(text, of_field)]
            if fault is not None
        ]
        if config.public["method"] != "GET" and not config.public.get("body"):
            found.append(Fault("/config/body", "is required, unless the method is GET"))
        if "key" not in config.secrets and any(body_templates.names_key(text) for text, _ in texts.values()):
            found.append(Fault("/config/key", "is required, because a template names it"))
        return found

    def send(self, message: Message, config: Config, client: Client) -> Receipt:
        """Sends the request. Its Idempotency-Key is the delivery id, so that receivers recognise a repeat."""
        public, content = config.public, message.content
        method, form, key = str(public["method"]), Form(public["contentType"]), config.secrets.get("key", "")
        try:
            target = _target(config, content)
            body = body_templates.render(str(public.get("body", "")), content, form, key) if method != "GET" else None
        except TemplateFault as fault:
            return Receipt(failure=FailureReason.MESSAGE_REFUSED, excerpt=f"The template could not be used: {fault}.")
        headers = {**config.headers, "Idempotency-Key": message.delivery_id}
        if body is None:
            return client.exchange(method, target, headers).receipt
        sent = {**headers, "Content-Type": form.header}
        return client.exchange(method, target, sent, body.encode("utf-8", errors="replace")).receipt


def _target(config: Config, content: NoticeContent) -> str:
    """Returns the address with its parameters. Long values are cut, because receivers refuse long addresses."""
    url, query = str(config.public["url"]), str(config.public.get("query", ""))
    found = url
    for longest in LONGEST_VALUES if query else ():
        text = body_templates.render(query, content, Form.FORM, config.secrets.get("key", ""), longest)
        found = f"{url}{'&' if '?' in url else '?'}{text}"
        if len(found) <= LONGEST_URL:
            break
    return found


KIND = HttpRequest()
