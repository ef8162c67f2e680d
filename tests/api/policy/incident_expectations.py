"""Who may do what with incidents and silences; a part of the table of `expectations`."""

from __future__ import annotations

INCIDENTS = """\
# specification 12.2: viewers read everything but credentials and the audit log
events.list                     user viewer of caller
events.export                   user viewer of caller
events.read                     user viewer of record
events.explain                  user viewer of record
statistics.read                 user viewer of caller
stream.read                     user of caller
incidents.list                  user viewer of caller
incidents.export                user viewer of caller
incidents.counts                user viewer of caller
incidents.facets                user viewer of caller
events.facets                   user viewer of caller
activity.of_incidents           user viewer of caller
activity.of_sources             user viewer of caller
incidents.read                  user viewer of record
incidents.timeline              user viewer of record
incidents.alerts                user viewer of record
incidents.pages                 user viewer of record
incidents.events                user viewer of record
incidents.deliveries            user viewer of record
incidents.notices               user viewer of record
notices.read                    user viewer of record
incidents.similar               user viewer of record
incidents.explain               user viewer of record
# specification 7.4, 12.2: members work on incidents and silence; `bulk` answers for each id
incidents.edit                  user member of record
incidents.acknowledge           user member of record
incidents.unacknowledge         user member of record
incidents.snooze                user member of record
incidents.unsnooze              user member of record
incidents.resolve               user member of record
incidents.reopen                user member of record
incidents.note                  user member of record
incidents.notify                user member of record
incidents.create                user member of body
incidents.page                  user member of record
incidents.escalate              user member of record
incidents.take                  user member of record
incidents.bulk                  user member of caller
incidents.undo                  user member of caller
silences.list                   user viewer of caller
silences.read                   user viewer of record
silences.create                 user member of body
silences.edit                   user member of record
silences.remove                 user member of record
silences.restore                user member of record
silences.end                    user member of record
silences.extend                 user member of record
silences.preview                user member of body
"""
