"""Defects of calls and text messages to people: what they cost, who answers, and who reads a number."""

from __future__ import annotations

from bench.defects.defect import defect

PAID = "tests/flow/notices/test_paid_messages.py"
ANSWERS = "tests/api/incidents/test_phone_answers.py"
PROVIDED = "tests/flow/notices/test_provided_contacts.py"

DEFECTS = (
    defect(
        "numbers of one person have a minute each",
        "inbox/flow/delivery/paid_messages.py",
        "until = now + PACE if key in served else rules.pause_until",
        "until = rules.pause_until",
        PAID,
    ),
    defect(
        "workers do not wait for each other before a message that costs money",
        "inbox/flow/delivery/paid_messages.py",
        "    counts.lock(people | workspaces)\n",
        "",
        PAID,
    ),
    defect(
        "the limit of a day takes one message more",
        "inbox/domain/deliveries/paid_messages.py",
        "if by_person >= limits.per_person:",
        "if by_person > limits.per_person:",
        PAID,
    ),
    defect(
        "administrators are mailed for each message beyond a limit",
        "inbox/flow/delivery/paid_messages.py",
        "    if not counts.tell_once(contact.workspace_id, _owner(contact), channel, now):\n        return\n",
        "    counts.tell_once(contact.workspace_id, _owner(contact), channel, now)\n",
        PAID,
    ),
    defect(
        "a report of an answer needs no signature",
        "inbox/destinations/twilio.py",
        "    return hmac.compare_digest(expected, signature.encode())\n",
        "    return bool(expected)\n",
        ANSWERS,
    ),
    defect(
        "a repeated report escalates again",
        "inbox/services/incidents/phone_answers.py",
        "        if not UsedTicket.consume(digest, now + REMEMBERED):\n            return False\n",
        "        UsedTicket.consume(digest, now + REMEMBERED)\n",
        ANSWERS,
    ),
    defect(
        "a phone answers for people of another number",
        "inbox/models/deliveries/reply_codes.py",
        "WHERE provider_id = %s AND owner_id IS NOT NULL\"\n        f\" AND config ->> '{ADDRESS}' = %s",
        "WHERE provider_id = %s AND owner_id IS NOT NULL\"\n        f\" AND coalesce(config ->> '{ADDRESS}', '') <> %s",
        ANSWERS,
    ),
    defect(
        "a provider pages in all workspaces of a person",
        "inbox/models/deliveries/contacts.py",
        "(p.workspace_id = m.workspace_id AND {USABLE_PROVIDER})",
        "({USABLE_PROVIDER})",
        PROVIDED,
    ),
    defect(
        "an answer that repeats a number is kept",
        "inbox/flow/delivery/senders.py",
        '    receipt = replace(receipt, answer="", excerpt="") if is_personal else receipt\n',
        "",
        PROVIDED,
    ),
)
