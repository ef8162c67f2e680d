import { Chip, Group } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import {
  BellOff,
  BellPlus,
  BellRing,
  Check,
  CircleCheck,
  CircleDot,
  Clock,
  Eye,
  History,
  type LucideIcon,
  Pencil,
  Repeat,
  RotateCcw,
  Send,
  StickyNote,
  TrendingUp,
} from 'lucide-react';
import { useSearchParams } from 'wouter';
import type { IncidentRecord, NoticeRecord, TimelineRecord } from '@/api';
import { incidentsNoticesInfiniteOptions, incidentsTimelineInfiniteOptions } from '@/api/@tanstack/react-query.gen';
import { pages } from '@/lib/requests/pages';
import { useWorkspace } from '@/lib/session/workspace';
import { localText } from '@/lib/time/localText';
import { More } from '@/parts/DataTable';
import { SkeletonRows } from '@/parts/EmptyState';
import { ProblemAlert } from '@/parts/ProblemAlert';
import styles from '@/parts/styles.module.css';
import { TimeAgo } from '@/parts/TimeAgo';
import { DeliveryBadge } from '@/screens/incidents/DeliveryBadge';
import classes from '@/screens/incidents/Incident.module.css';
import { Note } from '@/screens/incidents/Note';
import look from '@/screens/incidents/Notices.module.css';
import { WhyNotified } from '@/screens/incidents/WhyNotified';
import { kindsOf, SHOWN, shownOf, shownText, story, type Shown } from '@/screens/incidents/story';

const ICONS: Partial<Record<TimelineRecord['kind'], LucideIcon>> = {
  opened: CircleDot,
  reopened: RotateCcw,
  escalated: TrendingUp,
  acknowledged: Eye,
  snoozed: Clock,
  silenced: BellOff,
  silence_ended: BellRing,
  renotified: BellRing,
  notified_now: BellRing,
  fallback: BellRing,
  paged: BellRing,
  note: StickyNote,
  resolved: Check,
  joined: BellPlus,
  alert_ended: CircleCheck,
  late: History,
  still_reported: Repeat,
  undone: RotateCcw,
};

const KINDS: readonly TimelineRecord['kind'][] = [
  ...(['opened', 'reopened', 'reoccurred', 'escalated', 'acknowledged', 'unacknowledged', 'ack_timed_out'] as const),
  ...(['paged', 'joined', 'alert_ended', 'still_reported', 'late'] as const),
  ...(['snoozed', 'unsnoozed', 'snooze_expired', 'silenced', 'silence_ended', 'updated', 'note', 'undone'] as const),
  ...(['delay_ended', 'renotified', 'notified_now', 'flapping_ended', 'fallback', 'resolved'] as const),
];

/** Events, acts and notices of the incident, newest first, with a field for a note. */
export function Timeline({ incident }: { incident: IncidentRecord }) {
  const { can } = useWorkspace();
  const [params, setParams] = useSearchParams();
  const shown = shownOf(params.get('show'));
  const show = (names: string[]) => setParams(shownText(names) ? { show: shownText(names) } : {}, { replace: true });
  const { entries, notices } = useStory(incident.id, shown);
  const { items, next } = story(part(entries), part(notices));
  const parts = [entries, notices].filter((each) => each.isEnabled);
  // Notices that came later would move the rows that are being read.
  const isLoading = parts.some((each) => each.isPending);
  return (
    <>
      {can('member') && <Note incident={incident} onSaved={() => entries.refetch()} />}
      <Chip.Group multiple value={shown} onChange={show}>
        <Group gap={6} mb={4} role="group" aria-label="Shown in the timeline">
          {SHOWN.map((each) => (
            <Chip key={each.name} value={each.name} size="xs" variant="outline" classNames={{ label: classes.chip }}>
              {each.label}
            </Chip>
          ))}
        </Group>
      </Chip.Group>
      {isLoading && <SkeletonRows count={4} />}
      {parts.map((each, index) =>
        each.error ? <ProblemAlert key={index} fault={each.error} onRetry={() => each.refetch()} /> : null,
      )}
      <ol className={classes.entries} aria-label="Timeline">
        {(isLoading ? [] : items).map((item) =>
          'entry' in item ? (
            <Entry key={item.entry.id} entry={item.entry} notice={item.notice} />
          ) : (
            <Notified key={item.notice.id} notice={item.notice} />
          ),
        )}
      </ol>
      {items.length === 0 && parts.every((each) => each.isSuccess) && (
        <p className={`soft ${styles.small}`}>No entries of this kind.</p>
      )}
      {next === 'entries' && <More query={entries} />}
      {next === 'notices' && <More query={notices} />}
    </>
  );
}

/** The entries and the notices that are shown; a part that is not shown is not read. */
function useStory(id: IncidentRecord['id'], shown: readonly Shown[]) {
  const kind = kindsOf(shown, KINDS);
  const entries = useInfiniteQuery({
    ...incidentsTimelineInfiniteOptions({
      path: { incident_id: id },
      query: { limit: 50, order: 'desc', ...(kind ? { kind } : {}) },
    }),
    ...pages,
    enabled: shown.includes('changes') || shown.includes('notes'),
  });
  const notices = useInfiniteQuery({
    ...incidentsNoticesInfiniteOptions({ path: { incident_id: id }, query: { limit: 20 } }),
    ...pages,
    enabled: shown.includes('notices'),
  });
  return { entries, notices };
}

function part<Row>(query: { isEnabled: boolean; data?: { pages: { items: Row[] }[] }; hasNextPage: boolean }): {
  items: Row[];
  hasMore: boolean;
} {
  if (!query.isEnabled) return { items: [], hasMore: false };
  return { items: query.data?.pages.flatMap((page) => page.items) ?? [], hasMore: query.hasNextPage };
}

/** A notice without a shown entry. The tab of the notices has its deliveries. */
function Notified({ notice }: { notice: NoticeRecord }) {
  return (
    <li className={classes.entry}>
      <Send size={15} aria-hidden color="var(--text-soft)" className={classes.besideText} />
      <div className={`soft ${styles.small}`}>
        {localText(notice.text)}
        <div className={look.badges}>
          <DeliveryBadge notice={notice} />
          <WhyNotified notice={notice} />
        </div>
      </div>
      <span className={`soft ${styles.tiny}`}>
        <TimeAgo at={notice.at} />
      </span>
    </li>
  );
}

/** An entry, and who was notified of it. */
function Entry({ entry, notice }: { entry: TimelineRecord; notice?: NoticeRecord }) {
  const Icon = ICONS[entry.kind] ?? Pencil;
  const note = entry.kind === 'note' && typeof entry.details.text === 'string' ? entry.details.text : null;
  return (
    <li className={classes.entry}>
      <Icon size={16} aria-hidden color="var(--text-soft)" className={classes.besideText} />
      <div className={classes.note}>
        {note === null ? (
          localText(entry.text)
        ) : (
          <>
            <strong>{entry.actor.name}</strong>
            {'\n'}
            {note}
          </>
        )}
        {notice && (
          <div className={look.badges}>
            <DeliveryBadge notice={notice} />
            <WhyNotified notice={notice} />
          </div>
        )}
      </div>
      <span className={`soft ${styles.tiny}`}>
        <TimeAgo at={entry.at} />
      </span>
    </li>
  );
}
