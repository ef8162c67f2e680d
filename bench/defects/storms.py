"""Defects of storms: the order of claims, summaries, silences that announce what is known, slow flapping."""

from __future__ import annotations

from bench.defects.defect import defect

STORMS = "tests/flow/notices/test_storms.py"
SILENCES = "tests/flow/timers/test_silences.py"

DEFECTS = (
    defect(
        "the oldest notice is sent before the most severe one",
        "inbox/models/deliveries/storms.py",
        "        if row[0] not in best or row[1] > best[row[0]][1]:\n",
        "        if row[0] not in best or row[-1] < best[row[0]][-1]:\n",
        STORMS,
    ),
    defect(
        "a severe alert overtakes what precedes it in its incident",
        "inbox/models/deliveries/storms.py",
        "AND e.seq < d.seq\n                    AND e.status IN {UNSETTLED_STATUSES} AND (e.replay_of IS NULL)",
        "AND e.seq > d.seq\n                    AND e.status IN {UNSETTLED_STATUSES} AND (e.replay_of IS NULL)",
        STORMS,
    ),
    defect(
        "a summary needs a hundred notices",
        "inbox/domain/deliveries/storms.py",
        "MOST_WAITING = 20\n",
        "MOST_WAITING = 100\n",
        STORMS,
    ),
    defect(
        "a notice waits for an hour before it makes a summary",
        "inbox/domain/deliveries/storms.py",
        "LONGEST_WAIT = timedelta(minutes=1)\n",
        "LONGEST_WAIT = timedelta(hours=1)\n",
        STORMS,
    ),
    defect(
        "an end precedes the summary with its opening",
        "inbox/models/deliveries/storms.py",
        "WHERE s.id = g.digest_id) IN {UNSETTLED_STATUSES}\n",
        "WHERE s.id = g.digest_id) IN ('held')\n",
        STORMS,
    ),
    defect(
        "a second summary is made while the first one is retried",
        "inbox/domain/deliveries/storms.py",
        "    if backlog.has_summary or backlog.waiting <= 1 or",
        "    if backlog.waiting <= 1 or",
        STORMS,
    ),
    defect(
        "a summary hides all critical alerts",
        "inbox/domain/deliveries/storms.py",
        "    alone = {one.id for one in alerts[:most_critical]}\n",
        "    alone = {one.id for one in alerts[:0]}\n",
        STORMS,
    ),
    defect(
        "signed webhooks are summarised",
        "inbox/destinations/__init__.py",
        "if each.name in PACES and each.description.can.tells_people",
        "if each.description.can.tells_people",
        STORMS,
    ),
    defect(
        "the end of a silence announces what was known before",
        "inbox/domain/incidents/incident.py",
        "    is_news = has_unsent or not is_known(incident)\n",
        "    is_news = True\n",
        "tests/domain/incidents/test_incident.py",
        SILENCES,
    ),
    defect(
        "an alert that a silence skipped is never made up for",
        "inbox/flow/timers/silences.py",
        "    unsent = deferred_deliveries.skipped_under_silence(released)\n",
        "    unsent = deferred_deliveries.skipped_under_silence([])\n",
        SILENCES,
    ),
    defect(
        "slow flapping is not noticed",
        "inbox/domain/incidents/flapping.py",
        "= timedelta(hours=3), 6, timedelta(hours=1)",
        "= timedelta(hours=3), 60, timedelta(hours=1)",
        "tests/domain/incidents/test_slow_flapping.py",
    ),
)
