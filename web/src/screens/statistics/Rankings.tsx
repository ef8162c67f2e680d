import type { RankedIncident, StatisticsRecord } from '@/api';
import { tokenOf } from '@/lib/incidents/search';
import { useWorkspace } from '@/lib/session/workspace';
import { duration, useNow } from '@/lib/time/time';
import { STATE_WORD } from '@/lib/words/words';
import { Ranking } from '@/screens/statistics/Ranking';

/** The sources, incidents and destinations with the most, and who resolved. Each row leads to what it counts. */
export function Rankings({ statistics }: { statistics: StatisticsRecord }) {
  const { href } = useWorkspace();
  const incident = (id: string) => href(`incidents/${id}`);
  const list = (name: string, value: string) =>
    `${href('inbox')}?state=all&q=${encodeURIComponent(tokenOf(name, value))}`;
  const { resolvedBy } = statistics;
  const now = useNow();
  const openFor = ({ openedAt, resolvedAt }: RankedIncident) =>
    Math.max(0, (resolvedAt ? Date.parse(resolvedAt) : now) - Date.parse(openedAt)) / 1000;
  return (
    <>
      <Ranking
        title="Noisiest sources"
        head={['Source', 'Incidents', 'Events']}
        empty="No source had an incident."
        rows={statistics.noisiestSources.map((each) => ({
          key: each.sourceId,
          name: each.name,
          href: href(`sources/${each.sourceId}`),
          size: each.events,
          cells: [each.incidents, each.events],
        }))}
      />
      <Ranking
        title="Noisiest incidents"
        head={['Title', 'Incidents', 'Events']}
        empty="No incident had an event."
        rows={statistics.noisiestFingerprints.map((each) => ({
          key: each.sourceId + each.fingerprint,
          name: each.title,
          href: incident(each.incidentId),
          size: each.events,
          cells: [each.incidents, each.events],
        }))}
      />
      <Ranking
        title="Opened most often"
        head={['Title', 'Incidents', 'Openings']}
        empty="Nothing opened twice."
        rows={statistics.topFlapping.map((each) => ({
          key: each.sourceId + each.fingerprint,
          name: each.title,
          href: list('fingerprint', each.fingerprint),
          size: each.openings,
          cells: [each.incidents, each.openings],
        }))}
      />
      <Ranking
        title="Open for the longest"
        head={['Title', 'State', 'Open for']}
        empty="No incident was open."
        rows={statistics.longestOpen.map((each) => ({
          key: each.incidentId,
          name: `#${each.number} ${each.title}`,
          href: incident(each.incidentId),
          size: openFor(each),
          cells: [STATE_WORD[each.state], duration(openFor(each))],
        }))}
      />
      <Ranking
        title="Reopened most often"
        head={['Title', 'Reopenings']}
        empty="No incident was reopened."
        rows={statistics.mostReopened.map((each) => ({
          key: each.incidentId,
          name: `#${each.number} ${each.title}`,
          href: incident(each.incidentId),
          size: each.reopenings,
          cells: [each.reopenings],
        }))}
      />
      <ResolvedBy resolvedBy={resolvedBy} />
      <DestinationRanking statistics={statistics} href={href} />
    </>
  );
}

type ResolvedByProps = {
  resolvedBy: StatisticsRecord['resolvedBy'];
};

/** Resolutions by people, recoveries and automation. */
function ResolvedBy({ resolvedBy }: ResolvedByProps) {
  return (
    <Ranking
      title="Resolved by"
      head={['Who', 'Incidents']}
      empty="No incident was resolved."
      rows={[
        { key: 'recovery', name: 'Recovery (an event or a heartbeat)', count: resolvedBy.recovery },
        { key: 'automatic', name: 'Automatically, after a time', count: resolvedBy.automatic },
        { key: 'person', name: 'People', count: resolvedBy.person },
        ...resolvedBy.people.map((each) => ({
          key: each.userId,
          name: `– ${each.name ?? 'A former member'}`,
          count: each.incidents,
        })),
      ]
        .filter((each) => each.count > 0)
        .map(({ key, name, count }) => ({ key, name, size: count, cells: [count] }))}
    />
  );
}

type DestinationRankingProps = {
  statistics: StatisticsRecord;
  href: (path: string) => string;
};

/** The destinations with the most notices. */
function DestinationRanking({ statistics, href }: DestinationRankingProps) {
  return (
    <Ranking
      title="Destinations"
      head={['Destination', 'Sent', 'Failed', 'Held', 'Skipped', 'Expired']}
      empty="No notifications for any destination."
      rows={statistics.destinations.map((each) => ({
        key: each.destinationId,
        name: each.name,
        href: href(`deliveries?destinationId=${each.destinationId}`),
        size: each.notices,
        cells: [each.sent, each.failed, each.held, each.skipped, each.expired],
      }))}
    />
  );
}
