"""Each code with which a provider's sign-in can fail has a sentence on the sign-in page of the dashboard."""

from __future__ import annotations

import re

from inbox.identity.faults import Fault
from inbox.runtime.distribution import ROOT


def test_the_dashboard_has_a_sentence_for_each_fault_and_no_other() -> None:
    text = (ROOT / "web" / "src" / "lib" / "session" / "providerFaults.ts").read_text()
    table = text.partition("= {")[2].partition("\n};")[0]

    assert sorted(re.findall(r"^  (\w+):", table, re.MULTILINE)) == sorted(map(str, Fault))
