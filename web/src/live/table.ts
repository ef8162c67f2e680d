/** A line of the stream: what changed, never its content. */
export type Reference = {
  type: string;
  id?: string;
  workspaceId?: string | null;
  op?: 'created' | 'changed' | 'deleted';
  rev?: number;
  incidentId?: string;
  destinationId?: string;
  sourceId?: string;
  /** Of `resync`: what has changed. Without it, everything may have. */
  types?: string[];
  /** Many listen: read within a random part of this time, and not more often. */
  spreadSeconds?: number;
};

/**
 * What a reference makes stale. `operation` is the id of the generated query; `of` names the field of the reference that
 * must stand in the query's path, where only one record is concerned; `every` is the least time between two refetches.
 */
export type Stale = { operation: string; of?: 'id' | 'incidentId' | 'destinationId' | 'sourceId'; every: number };

const SECOND = 1000;
const list = (operation: string, every = SECOND): Stale => ({ operation, every });
const one = (operation: string, of: Stale['of'] = 'id', every = SECOND): Stale => ({ operation, of, every });

/** Queries of profiles and destinations, whose answers name the records that use them. */
const USED_PROFILES = [list('profilesList', 5 * SECOND), list('profilesRead', 5 * SECOND)];
const USED_DESTINATIONS = [list('destinationsList', 5 * SECOND), list('destinationsRead', 5 * SECOND)];

/** The one table: type of a reference → queries. A type that is not in it is ignored. */
export const STALE: Record<string, readonly Stale[]> = {
  incident: [
    list('incidentsList'),
    list('incidentsCounts'),
    list('incidentsFacets', 2 * SECOND),
    one('incidentsRead'),
    one('incidentsTimeline'),
    one('incidentsAlerts'),
    one('incidentsExplain', 'id', SECOND),
    one('incidentsNotices', 'id', 2 * SECOND),
    one('incidentsPages', 'id', 2 * SECOND),
    one('incidentsDeliveries', 'id', 2 * SECOND),
    one('incidentsSimilar', 'id', 5 * SECOND),
    list('statisticsRead', 60 * SECOND),
    list('onCallStatisticsRead', 60 * SECOND),
    list('heartbeatMonitorsList', 5 * SECOND),
    list('heartbeatMonitorsRead', 5 * SECOND),
    list('watchersList', 5 * SECOND),
    list('watchersRead', 5 * SECOND),
    list('sourcesList', 5 * SECOND),
    list('sourcesRead', 5 * SECOND),
  ],
  event: [
    list('eventsList'),
    one('eventsRead'),
    one('incidentsEvents', 'incidentId', 2 * SECOND),
    list('sourcesList', 5 * SECOND),
    one('sourcesRead', 'sourceId', 5 * SECOND),
  ],
  delivery: [
    // What was delivered decides whether the incident notified nobody.
    one('incidentsRead', 'incidentId', 2 * SECOND),
    list('incidentsList', 10 * SECOND),
    list('deliveriesList', 2 * SECOND),
    one('deliveriesRead'),
    one('incidentsDeliveries', 'incidentId', 2 * SECOND),
    one('incidentsExplain', 'incidentId', 2 * SECOND),
    one('incidentsNotices', 'incidentId', 2 * SECOND),
    one('incidentsPages', 'incidentId', 2 * SECOND),
    list('destinationsList', 5 * SECOND),
    one('destinationsRead', 'destinationId', 5 * SECOND),
  ],
  destination: [
    list('destinationsList', 5 * SECOND),
    one('destinationsRead', 'id', 5 * SECOND),
    list('workspacesList', 5 * SECOND),
  ],
  source: [
    list('sourcesList'),
    one('sourcesRead'),
    one('keysOfSource'),
    list('keysList'),
    list('workspacesList', 5 * SECOND),
    ...USED_PROFILES,
  ],
  rule: [
    list('rulesList'),
    one('rulesRead'),
    list('workspacesList', 5 * SECOND),
    ...USED_PROFILES,
    ...USED_DESTINATIONS,
  ],
  routingProfile: [list('profilesList'), one('profilesRead'), list('workspacesList', 5 * SECOND), ...USED_DESTINATIONS],
  silence: [
    list('silencesList'),
    one('silencesRead'),
    // An incident says until when it is silenced. That its state changes says a reference of its own.
    list('incidentsList', 5 * SECOND),
    list('incidentsRead', 5 * SECOND),
    list('incidentsExplain', 5 * SECOND),
  ],
  schedule: [
    list('schedulesList'),
    one('schedulesRead'),
    one('scheduleVersionsList'),
    one('shiftsList'),
    one('onCallLogList'),
    list('personShiftsList'),
    one('overridesList'),
    list('shiftsOnCallNow'),
    list('onCallStatisticsRead', 60 * SECOND),
  ],
  forwarding: [
    list('forwardingsList'),
    list('schedulesList'),
    one('schedulesRead'),
    one('shiftsList'),
    list('personShiftsList'),
    list('shiftsOnCallNow'),
  ],
  monitor: [
    list('heartbeatMonitorsList'),
    one('heartbeatMonitorsRead'),
    one('heartbeatMonitorsPings'),
    one('heartbeatMonitorsFlips'),
    // The status of a watcher is that of its monitor.
    list('watchersList', 2 * SECOND),
    list('watchersRead', 2 * SECOND),
  ],
  watcher: [list('watchersList'), one('watchersRead')],
  view: [list('viewsList'), one('viewsRead')],
  member: [list('membersList'), list('workspacesList'), list('accountReadBlockers')],
  invite: [list('invitesList')],
  workspace: [
    list('workspacesList'),
    one('workspacesRead'),
    one('workspacesReadDefaultRoute'),
    one('keptRecordsList'),
    ...USED_PROFILES,
    ...USED_DESTINATIONS,
  ],
  device: [list('devicesList')],
  me: [
    list('meRead'),
    list('meReadPreferences'),
    list('meSessions'),
    list('trustedBrowsersList'),
    list('factorsRead'),
    list('chatAccountsList'),
    list('contactMethodsList'),
    list('meReadNotificationRules'),
    list('calendarFeedsList'),
    list('auditListOwn', 2 * SECOND),
  ],
};
