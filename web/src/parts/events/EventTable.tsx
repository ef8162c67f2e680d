import type { ReactNode } from 'react';
import { Link } from 'wouter';
import type { EventRow, IncidentRecord } from '@/api';
import { type Column, DataTable, type Pages } from '@/parts/DataTable';
import { DispositionChip } from '@/parts/events/DispositionChip';
import { EventDrawer } from '@/parts/events/LaterEventDrawer';
import { useEventAddress, useOpenEvent } from '@/parts/events/useOpenEvent';
import { SeverityBadge } from '@/parts/SeverityBadge';
import styles from '@/parts/styles.module.css';
import { TimeAgo } from '@/parts/TimeAgo';

const COLUMNS: Column<EventRow>[] = [
  { header: 'Received', cell: (event) => <TimeAgo at={event.receivedAt} />, width: 100 },
  { header: 'Severity', cell: (event) => <SeverityBadge severity={event.severity} />, width: 106 },
  { header: 'Title', cell: (event) => <Title event={event} /> },
  {
    header: 'Source',
    cell: (event) => <span className={`clip ${styles.narrowCell}`}>{event.sourceName}</span>,
    width: 180,
    secondary: true,
  },
  {
    header: 'Outcome',
    cell: (event) => <DispositionChip disposition={event.disposition} />,
    width: 120,
    secondary: true,
  },
];

/** Events as rows. The one that is open stands in the address (`?event=`). */
export function EventTable({
  query,
  empty,
  withSource = true,
  within,
}: {
  query: Pages<EventRow>;
  empty: ReactNode;
  withSource?: boolean;
  /** The incident whose screen shows the table. */
  within?: IncidentRecord['id'];
}) {
  const { open, id } = useOpenEvent();
  const columns = withSource ? COLUMNS : COLUMNS.filter((column) => column.header !== 'Source');
  return (
    <>
      <DataTable
        label="Events"
        columns={columns}
        query={query}
        rowKey={(event) => event.id}
        onOpen={(event) => open(event.id)}
        empty={empty}
      />
      <EventDrawer id={id} onClose={() => open(null)} within={within} />
    </>
  );
}

function Title({ event }: { event: EventRow }) {
  const more = [
    event.action === 'resolve' ? 'recovery' : null,
    event.resource,
    event.tags.length > 0 ? event.tags.join(', ') : null,
  ]
    .filter(Boolean)
    .join(' · ');
  return (
    <span className={styles.stacked}>
      <Link
        href={useEventAddress(event.id)}
        replace
        tabIndex={-1}
        className={`clip ${styles.plainLink}`}
        title={event.title}
        onClick={(click) => click.stopPropagation()}
      >
        {event.title}
      </Link>
      <span className={`clip soft ${styles.tiny}`}>
        <span className="mantine-hidden-from-sm">
          <DispositionChip disposition={event.disposition} />
          {more && ' · '}
        </span>
        {more}
      </span>
    </span>
  );
}
