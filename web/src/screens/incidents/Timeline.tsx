import { Button, Stack, Textarea } from '@mantine/core';
import { useInfiniteQuery, useMutation } from '@tanstack/react-query';
import {
  BellOff,
  BellRing,
  Check,
  CircleDot,
  Clock,
  Eye,
  type LucideIcon,
  Pencil,
  RotateCcw,
  StickyNote,
  TrendingUp,
} from 'lucide-react';
import { useRef, useState } from 'react';
import { incidentsNoteMutation, incidentsTimelineInfiniteOptions } from '@/api/@tanstack/react-query.gen';
import type { IncidentRecord, TimelineRecord } from '@/api';
import { useWorkspace } from '@/app/workspace';
import { useKeys } from '@/lib/keys';
import { pages } from '@/lib/pages';
import { message } from '@/lib/problems';
import { More } from '@/parts/DataTable';
import { SkeletonRows } from '@/parts/EmptyState';
import { ProblemAlert } from '@/parts/ProblemAlert';
import { TimeAgo } from '@/parts/TimeAgo';
import classes from '@/screens/incidents/Incident.module.css';

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
  undone: RotateCcw,
};

/** What happened, newest first, with a field for a note. */
export function Timeline({ incident }: { incident: IncidentRecord }) {
  const { can } = useWorkspace();
  const query = useInfiniteQuery({
    ...incidentsTimelineInfiniteOptions({ path: { incident_id: incident.id }, query: { limit: 50, order: 'desc' } }),
    ...pages,
  });
  const entries = query.data?.pages.flatMap((page) => page.items) ?? [];
  return (
    <>
      {can('member') && <NoteField incident={incident} onSaved={() => query.refetch()} />}
      {query.isPending && <SkeletonRows count={4} />}
      {query.error && <ProblemAlert fault={query.error} onRetry={() => query.refetch()} />}
      <ol className={classes.entries} aria-label="Timeline">
        {entries.map((entry) => (
          <Entry key={entry.id} entry={entry} />
        ))}
      </ol>
      <More query={query} />
    </>
  );
}

function Entry({ entry }: { entry: TimelineRecord }) {
  const Icon = ICONS[entry.kind] ?? Pencil;
  const note = entry.kind === 'note' && typeof entry.details.text === 'string' ? entry.details.text : null;
  return (
    <li className={classes.entry}>
      <Icon size={16} aria-hidden color="var(--text-soft)" style={{ marginTop: 3 }} />
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
      <span className="soft" style={{ fontSize: 12 }}>
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
    onSuccess: () => {
      setText('');
      void onSaved();
    },
  });
  const save = () => text.trim() && add.mutate({ path: { incident_id: incident.id }, body: { text: text.trim() } });
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
        <Button
          size="compact-md"
          mih="var(--target)"
          style={{ alignSelf: 'flex-end' }}
          loading={add.isPending}
          onClick={save}
        >
          Add the note
        </Button>
      )}
    </Stack>
  );
}
