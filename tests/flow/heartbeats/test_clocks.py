"""Reports of web processes whose clocks differ: no gap without an outage, and no outage that is hidden (specification 18.6)."""

from __future__ import annotations

from datetime import datetime

from inbox.flow.heartbeats.availability import report
from inbox.models.heartbeats import availability
from tests.cast import NOW, Cast
from tests.flow.heartbeats.test_alarms import at, incident_of, pass_time, stay_alive
from tests.heartbeats import end_reports, make_monitor, ping

AHEAD = 10.0


def last_report() -> datetime | None:
    found = availability.last()
    return None if found is None else found.at


def test_a_report_of_a_clock_that_was_ahead_hides_no_later_outage(cast: Cast) -> None:
    stay_alive(24 * 60)
    monitor, token = make_monitor(cast.source, NOW)
    ping(token, at(0))
    report(at(58))
    report(at(57))
    assert last_report() == at(58)
    end_reports()

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


def test_the_return_of_a_host_whose_clock_is_ahead_is_no_outage(cast: Cast) -> None:
    make_monitor(cast.source, NOW)
    report(at(60 + AHEAD))
    end_reports()
    report(at(60))
    assert last_report() == at(60)

    assert report(at(61 + AHEAD)) == 0


def test_a_worker_whose_clock_is_ahead_checks_deadlines(cast: Cast) -> None:
    monitor, token = make_monitor(cast.source, NOW)
    ping(token, at(0))
    report(at(60))

    pass_time(60 + AHEAD)

    assert incident_of(monitor) is not None
