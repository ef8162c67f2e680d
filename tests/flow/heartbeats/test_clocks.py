"""Reports of web processes whose clocks differ: no gap without an outage, and no outage that is hidden (specification 18.6)."""

from __future__ import annotations

from datetime import timedelta

from inbox.flow.heartbeats.availability import report
from inbox.models.heartbeats import availability
from inbox.models.tables.heartbeats import PingAvailability
from tests.cast import NOW, Cast, present
from tests.flow.heartbeats.test_alarms import at, incident_of, pass_time, stay_alive
from tests.heartbeats import make_monitor, ping

AHEAD = 10.0


def test_a_report_of_a_clock_that_was_ahead_hides_no_later_outage(cast: Cast) -> None:
    stay_alive(24 * 60)
    monitor, token = make_monitor(cast.source, NOW)
    ping(token, at(0))
    PingAvailability.update(reported_at=present() - timedelta(minutes=1)).execute()
    report(at(58))
    stay_alive(57)
    assert availability.last() == at(58)

    assert report(at(66)) == 1

    pass_time(66)
    assert incident_of(monitor) is None


def test_hosts_whose_clocks_differ_excuse_nobody(cast: Cast) -> None:
    monitor, token = make_monitor(cast.source, NOW)
    ping(token, at(0))
    stay_alive(60 + AHEAD)
    for second in range(3, 12, 3):
        assert report(at(60 + second / 60)) == 0
        assert report(at(60 + AHEAD + second / 60)) == 0

    pass_time(65.5)

    assert incident_of(monitor) is not None
