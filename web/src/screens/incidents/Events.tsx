import { useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Anchor } from '@mantine/core';
import type { IncidentRecord } from '@/api';
import { incidentsEventsInfiniteOptions } from '@/api/@tanstack/react-query.gen';
import { isWeb } from '@/lib/navigation/links';
import { pages } from '@/lib/requests/pages';
import { CopyButton } from '@/parts/CopyButton';
import { type Column, DataTable } from '@/parts/DataTable';
import { Modal } from '@/parts/dialogs';
import { EmptyState } from '@/parts/EmptyState';
import { DispositionChip } from '@/parts/events/DispositionChip';
import { SeverityBadge } from '@/parts/SeverityBadge';
import styles from '@/parts/styles.module.css';
import { TimeAgo } from '@/parts/TimeAgo';
import classes from '@/screens/incidents/Incident.module.css';

/** The events that belong to the incident; each one opens as it was received. */
export function Events({ incident }: { incident: IncidentRecord }) {
  const query = useInfiniteQuery({
    ...incidentsEventsInfiniteOptions({ path: { incident_id: incident.id }, query: { limit: 50 } }),
    ...pages,
  });
  type Event = NonNullable<typeof query.data>['pages'][number]['items'][number];
  const [shown, setShown] = useState<Event | null>(null);
  const columns: Column<Event>[] = [
    { header: 'Received', cell: (event) => <TimeAgo at={event.receivedAt} />, width: 110 },
    { header: 'Severity', cell: (event) => <SeverityBadge severity={event.severity} />, width: 110 },
    {
      header: 'Title',
      cell: (event) => <span className={`clip ${styles.block}`}>{event.title}</span>,
    },
    {
      header: 'Disposition',
      cell: (event) => <DispositionChip disposition={event.disposition} />,
      secondary: true,
      width: 120,
    },
  ];
  const text = shown ? JSON.stringify(shown, null, 2) : '';
  return (
    <>
      <DataTable
        label="Events"
        columns={columns}
        query={query}
        rowKey={(event) => event.id}
        onOpen={setShown}
        empty={<EmptyState title="No events">Events past their retention were removed.</EmptyState>}
      />
      <Modal opened={shown !== null} onClose={() => setShown(null)} title={shown?.title ?? ''} size="xl">
        {shown && (
          <>
            {shown.url && isWeb(shown.url) && (
              <Anchor href={shown.url} target="_blank" rel="noreferrer noopener">
                Open in the sending tool
              </Anchor>
            )}
            <div className={classes.copy}>
              <CopyButton value={text} word="Copy" />
            </div>
            <pre className={`${classes.body} ${classes.bounded}`} tabIndex={0}>
              {text}
            </pre>
          </>
        )}
      </Modal>
    </>
  );
}
