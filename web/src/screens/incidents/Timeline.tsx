import { Button, Chip, Group, Stack, Textarea } from '@mantine/core';
import { useInfiniteQuery, useMutation } from '@tanstack/react-query';
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
import { useRef, useState } from 'react';
import { useSearchParams } from 'wouter';
import type { IncidentRecord, NoticeRecord, TimelineRecord } from '@/api';
import {
  incidentsNoteMutation,
  incidentsNoticesInfiniteOptions,
  incidentsTimelineInfiniteOptions,
} from '@/api/@tanstack/react-query.gen';
import { useKeys } from '@/lib/keyboard/keys';
import { pages } from '@/lib/requests/pages';
import { message } from '@/lib/requests/problems';
import { useWorkspace } from '@/lib/session/workspace';
import { More } from '@/parts/DataTable';
import { SkeletonRows } from '@/parts/EmptyState';
import { ProblemAlert } from '@/parts/ProblemAlert';
import styles from '@/parts/styles.module.css';
import { TimeAgo } from '@/parts/TimeAgo';
import classes from '@/screens/incidents/Incident.module.css';
import { Outcome } from '@/screens/incidents/Notices';
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
  fallback: BellRing,
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
  ...(['joined', 'alert_ended', 'still_reported', 'late'] as const),
  ...(['snoozed', 'unsnoozed', 'snooze_expired', 'silenced', 'silence_ended', 'updated', 'note', 'undone'] as const),
  ...(['delay_ended', 'renotified', 'flapping_ended', 'fallback', 'resolved'] as const),
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
  return (
    <>
      {can('member') && <NoteField incident={incident} onSaved={() => entries.refetch()} />}
      <Chip.Group multiple value={shown} onChange={show}>
        <Group gap={6} mb={4} role="group" aria-label="Shown in the timeline">
          {SHOWN.map((each) => (
            <Chip key={each.name} value={each.name} size="xs" variant="outline" classNames={{ label: classes.chip }}>
              {each.label}
            </Chip>
          ))}
        </Group>
      </Chip.Group>
      {parts.some((each) => each.isPending) && <SkeletonRows count={4} />}
      {parts.map((each, index) =>
        each.error ? <ProblemAlert key={index} fault={each.error} onRetry={() => each.refetch()} /> : null,
      )}
      <ol className={classes.entries} aria-label="Timeline">
        {items.map((item) =>
          'entry' in item ? (
            <Entry key={item.entry.id} entry={item.entry} />
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

/** A notice, in one line. The tab of the notices has its deliveries. */
function Notified({ notice }: { notice: NoticeRecord }) {
  return (
    <li className={classes.entry}>
      <Send size={15} aria-hidden color="var(--text-soft)" className={classes.besideText} />
      <div className={`soft ${styles.small}`}>
        {notice.text} <Outcome notice={notice} />
      </div>
      <span className={`soft ${styles.tiny}`}>
        <TimeAgo at={notice.at} />
      </span>
    </li>
  );
}

function Entry({ entry }: { entry: TimelineRecord }) {
  const Icon = ICONS[entry.kind] ?? Pencil;
  const note = entry.kind === 'note' && typeof entry.details.text === 'string' ? entry.details.text : null;
  return (
    <li className={classes.entry}>
      <Icon size={16} aria-hidden color="var(--text-soft)" className={classes.besideText} />
      <div className={classes.note}>
        {note === null ? (
          entry.text
        ) : (
          <>
            <strong>{entry.actor.name}</strong>
            {'\n'}
            {note}
          </>
        )}
      </div>
      <span className={`soft ${styles.tiny}`}>
        <TimeAgo at={entry.at} />
      </span>
    </li>
  );
}

function NoteField({ incident, onSaved }: { incident: IncidentRecord; onSaved: () => unknown }) {
  const [text, setText] = useState('');
  const field = useRef<HTMLTextAreaElement>(null);
  const add = useMutation({
    ...incidentsNoteMutation(),
    onSuccess: (_answer, { body }) => {
      // What was typed since stays.
      setText((now) => (now.trim() === body.text ? '' : now));
      void onSaved();
    },
  });
  const save = () => {
    if (text.trim() === '' || add.isPending) return;
    add.mutate({ path: { incident_id: incident.id }, body: { text: text.trim() } });
  };
  useKeys('Notes', [{ keys: 'n', label: 'Add a note', run: () => field.current?.focus() }]);
  return (
    <Stack gap={6} mb="sm">
      <Textarea
        ref={field}
        label="Note"
        placeholder="What you found, what you did"
        autosize
        minRows={1}
        maxRows={8}
        value={text}
        maxLength={10_000}
        error={add.error ? message(add.error) : undefined}
        onChange={(event) => setText(event.currentTarget.value)}
        onKeyDown={(event) => (event.ctrlKey || event.metaKey) && event.key === 'Enter' && save()}
      />
      {text.trim() && (
        <Button size="compact-md" mih="var(--target)" className={classes.send} loading={add.isPending} onClick={save}>
          Add the note
        </Button>
      )}
    </Stack>
  );
}
