"""Defects of deliveries: claims, leases, fences, retries, stopping, signatures, and addresses that are called."""

from __future__ import annotations

from bench.defects.defect import defect

LEASES = "tests/flow/delivery/test_deliver_leases.py"
ANSWERS = "tests/flow/delivery/test_deliver_answers.py"
ORDER = ("tests/flow/delivery/test_deliver_order.py", "tests/flow/delivery/test_deliver_workers.py")
STOPPING = ("tests/flow/delivery/test_deliver_stopping.py", "tests/flow/delivery/test_deliver_edited.py")
RULES = "tests/domain/deliveries/test_delivery.py"

DEFECTS = (
    defect(
        "the lease ignores a changed time-out",
        "inbox/flow/delivery/deliver.py",
        "lease_until = now + timedelta(seconds=chosen.delivery_timeout_seconds) + LEASE_MARGIN",
        "lease_until = now + timedelta(seconds=15) + LEASE_MARGIN",
        LEASES,
    ),
    defect(
        "a notice overtakes an earlier one of its incident that waits for its retry",
        "inbox/models/deliveries/claims.py",
        "AND e.status IN {UNSETTLED_STATUSES} AND (e.replay_of IS NULL)",
        "AND e.status IN {UNSETTLED_STATUSES} AND e.due_at <= %(now)s AND (e.replay_of IS NULL)",
        LEASES,
    ),
    defect(
        "a dead worker's calls count for the cap for ever",
        "inbox/models/deliveries/claims.py",
        "WHERE s.destination_id = open.destination_id AND s.status = 'sending' AND s.due_at > %(now)s\n",
        "WHERE s.destination_id = open.destination_id AND s.status = 'sending'\n",
        LEASES,
    ),
    defect(
        "the cap of a destination does not count open calls",
        "inbox/models/deliveries/claims.py",
        "WHERE s.destination_id = open.destination_id AND s.status = 'sending' AND s.due_at > %(now)s\n",
        "WHERE s.destination_id = open.destination_id AND s.status = 'nothing' AND s.due_at > %(now)s\n",
        *ORDER,
    ),
    defect(
        "a claim takes what another has claimed meanwhile",
        "inbox/models/deliveries/claims.py",
        " AND d.id = picked.id AND d.status = picked.status AND d.attempt = picked.attempt\n",
        " AND d.id = picked.id AND d.status < 'r'\n",
        LEASES,
        *ORDER,
    ),
    defect(
        "the late answer of a worker whose lease ended counts",
        "inbox/flow/delivery/results.py",
        "            if outcome.delivery.id not in claimed_ids:\n",
        "            if outcome.delivery.id not in claimed_ids and not claimed_ids and outcome.delivery.attempt > 99:\n",
        *ORDER,
    ),
    defect(
        "a 500 gives up",
        "inbox/domain/deliveries/delivery.py",
        "    return 400 <= code < 500 and code not in STOP_STATUSES and code not in RETRY_STATUSES\n",
        "    return 400 <= code <= 500 and code not in STOP_STATUSES and code not in RETRY_STATUSES\n",
        RULES,
        ANSWERS,
    ),
    defect(
        "a 410 does not stop the destination",
        "inbox/domain/deliveries/delivery.py",
        "STOP_STATUSES = frozenset({401, 403, 404, 410})",
        "STOP_STATUSES = frozenset({401, 403, 404})",
        RULES,
        ANSWERS,
    ),
    defect(
        "the sixth refusal stops the destination",
        "inbox/domain/deliveries/delivery.py",
        "REFUSALS_TO_STOP = 5",
        "REFUSALS_TO_STOP = 6",
        RULES,
        ANSWERS,
    ),
    defect(
        "Retry-After is not obeyed",
        "inbox/domain/deliveries/delivery.py",
        "    return Retry(max(delay, requested_delay), receipt.reason)\n",
        "    return Retry(delay, receipt.reason)\n",
        RULES,
        ANSWERS,
    ),
    defect(
        "a retry has no end",
        "inbox/domain/deliveries/delivery.py",
        "    if attempt >= ATTEMPTS:\n        return GiveUp(receipt.reason)\n",
        "    attempt = min(attempt, ATTEMPTS - 1)\n",
        RULES,
    ),
    defect(
        "an answer to an earlier address stops the destination",
        "inbox/flow/delivery/results.py",
        "    is_stale = outcome.is_stale(update.destination)\n",
        "    is_stale = False\n",
        *STOPPING,
    ),
    defect(
        "what was held for days leaves when the destination resumes",
        "inbox/flow/delivery/resume.py",
        "destination_id, now=now, longest=MAX_HELD, per_second",
        "destination_id, now=now, longest=100 * MAX_HELD, per_second",
        *STOPPING,
    ),
    defect(
        "a disabled destination is sent what waits",
        "inbox/flow/delivery/results.py",
        "    return None if destination.enabled else Unavailable.DISABLED\n",
        "    return None\n",
        *STOPPING,
    ),
    defect(
        "a webhook's signature leaves out the timestamp",
        "inbox/domain/deliveries/signing.py",
        'signed = b"%s.%d.%s" % (message_id.encode("ascii"), timestamp, body)',
        'signed = b"%s.%d.%s" % (message_id.encode("ascii"), 0, body)',
        "tests/domain/deliveries/test_signing.py",
    ),
    defect(
        "a webhook's signature is of the first kilobyte",
        "inbox/domain/deliveries/signing.py",
        'timestamp, body)\n    return "v1,"',
        'timestamp, body[:1024])\n    return "v1,"',
        "tests/domain/deliveries/test_signing.py",
    ),
    defect(
        "a lost wake-up for deliveries is never sent again",
        "inbox/flow/upkeep/sweep.py",
        "        QueueName.DELIVERY: bool(delivery_claims.due_destinations(now)),\n",
        "",
        "tests/flow/upkeep/test_sweep.py",
    ),
    defect(
        "answers of private addresses are shown",
        "inbox/domain/deliveries/delivery.py",
        "    if address_class is not AddressClass.PUBLIC or encoding",
        "    if address_class is AddressClass.NEVER or encoding",
        "tests/destinations/test_http.py::test_no_text_of_a_loopback_answer_is_stored",
    ),
    defect(
        "a denied name denies nothing below it",
        "inbox/domain/values/addresses.py",
        'any(host == name or host.endswith(f".{name}") for name in self.names)',
        "any(host == name for name in self.names)",
        "tests/domain/values/test_addresses_policy.py",
    ),
)
