import { Button, Group, Switch, Text } from '@mantine/core';
import { Download, ListTree, RotateCw, SearchX } from 'lucide-react';
import { useRef } from 'react';
import { Link } from 'wouter';
import { eventsExport } from '@/api';
import { useKeys } from '@/lib/keyboard/keys';
import { useWorkspace } from '@/lib/session/workspace';
import { EmptyState } from '@/parts/EmptyState';
import { EventTable } from '@/parts/events/EventTable';
import { PageHeader } from '@/parts/PageHeader';
import { saveFile } from '@/parts/saveFile';
import styles from '@/parts/styles.module.css';
import classes from '@/screens/events/Events.module.css';
import { Filters } from '@/screens/events/Filters';
import { useEvents } from '@/screens/events/useEvents';

/** Every accepted event. Rows stay where they are unless the live tail is on. */
export default function Events() {
  const { workspace, href } = useWorkspace();
  const events = useEvents();
  const days = workspace.settings.retention?.eventDays;
  const search = useRef<HTMLInputElement>(null);
  useKeys('Events', [
    { keys: '/', label: 'Search', run: () => search.current?.focus() },
    { keys: 't', label: 'Toggle live tail', run: () => events.setTail(!events.tail) },
  ]);
  return (
    <>
      <PageHeader title="Events" about="Every accepted event and how it was routed.">
        <Switch
          checked={events.tail}
          disabled={!events.mayTail}
          onChange={(event) => events.setTail(event.currentTarget.checked)}
          label="Live tail"
          classNames={{ root: classes.switchBody, body: styles.centred }}
        />
        <Button
          variant="default"
          leftSection={<RotateCw size={15} aria-hidden />}
          loading={events.query.isRefetching}
          onClick={() => void events.query.refetch()}
        >
          Refresh
        </Button>
        <ExportButton query={events.where} />
      </PageHeader>
      <Filters ref={search} filters={events.filters} sources={events.sources} onChange={events.change} />
      <div aria-live="polite" className={classes.middle}>
        {events.hasNew && (
          <Button size="compact-sm" radius="xl" mb={8} onClick={events.showNew}>
            Show new events
          </Button>
        )}
        {events.tail && !events.isAtTop && (
          <Text size="xs" className="soft" pb={6}>
            Live tail is paused until you scroll back to the top.
          </Text>
        )}
      </div>
      <EventTable
        query={events.query}
        empty={
          events.isFiltered ? (
            <NoMatch events={events} />
          ) : (
            <EmptyState
              icon={ListTree}
              title="No event yet"
              action={
                <Button component={Link} href={href('sources')}>
                  Go to the sources
                </Button>
              }
            >
              A source sends events with its key. Its setup has snippets to paste.
            </EmptyState>
          )
        }
      />
      {days !== undefined && (
        <Group justify="center" p="md">
          <Text size="xs" className="soft">
            Events are kept {days} days.
          </Text>
        </Group>
      )}
    </>
  );
}

/** The events under the filters, as a file. */
function ExportButton({ query }: { query: ReturnType<typeof useEvents>['where'] }) {
  const { workspace } = useWorkspace();
  const read = () => eventsExport({ query, parseAs: 'blob', throwOnError: true });
  return (
    <Button
      visibleFrom="sm"
      variant="default"
      leftSection={<Download size={15} aria-hidden />}
      onClick={() => void saveFile(read, `${workspace.slug}-events`, 'csv')}
    >
      Export CSV
    </Button>
  );
}

type NoMatchProps = {
  events: ReturnType<typeof useEvents>;
};

function NoMatch({ events }: NoMatchProps) {
  return (
    <EmptyState
      icon={SearchX}
      title="No event matches"
      action={
        <Button variant="default" onClick={events.clear}>
          Clear the filters
        </Button>
      }
    >
      Try fewer words, a longer period, or another outcome.
    </EmptyState>
  );
}
