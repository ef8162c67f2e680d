"""State words are taken out of titles, and say whether the alarm has ended (specification 19.6)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inbox.intake import state_words

ALARMS = {
    "[FIRING:2] DiskFull (db-1)": "DiskFull (db-1)",
    "[FIRING:1, RESOLVED:2] DiskFull": "DiskFull",
    "[ops] [FIRING:1] DiskFull": "[ops] DiskFull",
    "[PROBLEM] procs on vm is CRITICAL!": "procs on vm",
    "** PROBLEM Service Alert: db-1/load is WARNING **": "Service Alert: db-1/load",
    "** PROBLEM Host Alert: db-1 is DOWN **": "Host Alert: db-1",
    "load on db-1 is WARNING": "load on db-1",
    "Host 10.0.0.5 is DOWN": "Host 10.0.0.5",
    "shop is down": "shop",
    "CRITICAL - disk full on web1": "disk full on web1",
    "CRITICAL, disk_space = 95%, on web1": "disk_space = 95%, on web1",
    "Warning: low memory": "low memory",
    "PROBLEM: High load": "High load",
    "\U0001f534 DOWN: shop": "shop",
    "[shop] [\U0001f534 Down] timeout": "[shop] timeout",
    "\U0001f525 [Alerting] CPU": "CPU",
    "CPU of web1 => CRITICAL": "CPU of web1",
    "CPU of web1: WARNING": "CPU of web1",
    "CPU of web1 (CRITICAL)": "CPU of web1",
    "[No Data] CPU of web1": "CPU of web1",
    "[FIRING:1]": "[FIRING:1]",
}
ENDS = {
    "[RESOLVED] DiskFull (db-1)": "DiskFull (db-1)",
    "[RECOVERY] procs on vm is OK!": "procs on vm",
    "** RECOVERY Host Alert: db-1 is UP **": "Host Alert: db-1",
    "RECOVERY: disk on web1": "disk on web1",
    "Resolved in 2m 3s: High load on web1": "High load on web1",
    "Resolved: High load": "High load",
    "OK: High load": "High load",
    "OK - disk full on web1": "disk full on web1",
    "[shop] [\u2705 Up] 200 - OK": "[shop] 200",
    "shop is back up": "shop",
    "shop has recovered.": "shop",
}


@pytest.mark.parametrize("title", ALARMS)
def test_a_title_of_an_alarm_loses_its_state(title: str) -> None:
    assert state_words.read(title) == (ALARMS[title], False)


@pytest.mark.parametrize("title", ENDS)
def test_a_title_of_an_end_has_the_words_of_its_alarm(title: str) -> None:
    assert state_words.read(title) == (ENDS[title], True)


@pytest.mark.parametrize(
    "title",
    ["Disk 3 failed in enclosure 1", "Up-down converter of rack 7", "Warning lights are on", "[shop] timeout",
     "OK button broken", "Down the road", "Backup of db-1: 3 warnings", "alert", "", "is DOWN"],
)  # fmt: skip
def test_other_titles_stay_as_they_are(title: str) -> None:
    assert state_words.read(title) == (title, None)


@given(st.text(max_size=60) | st.lists(st.sampled_from([*ALARMS, *ENDS, " ", "[", "]", ":", "is"])).map("".join))
def test_a_title_keeps_a_text(title: str) -> None:
    left = state_words.without_state(title)

    assert bool(left) == bool(title)
    assert len(left) <= len(title)
