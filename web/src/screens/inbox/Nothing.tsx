import { Button } from '@mantine/core';
import { Inbox as InboxIcon, SearchX } from 'lucide-react';
import { lazy, Suspense } from 'react';
import { Link } from 'wouter';
import { useWorkspace } from '@/lib/session/workspace';
import { EmptyState } from '@/parts/EmptyState';
import { LastResolved } from '@/parts/LastResolved';
import type { useInbox } from '@/screens/inbox/useInbox';

const TestEvent = lazy(() => import('@/parts/TestEvent').then((found) => ({ default: found.TestEvent })));

/** "Nothing matches" differs from "nothing yet" and from "all quiet". */
export function Nothing({ inbox }: { inbox: ReturnType<typeof useInbox> }) {
  const { href, can } = useWorkspace();
  const isFirst = inbox.counts?.unresolved === 0 && inbox.counts.resolved === 0;
  if (inbox.text) {
    return (
      <EmptyState
        icon={SearchX}
        title="No incident matches"
        action={
          <Button variant="default" onClick={() => inbox.set({ q: '' })}>
            Clear the search
          </Button>
        }
      >
        Title, resource, dedup key and number are searched. Try fewer words, or another tab.
      </EmptyState>
    );
  }
  if (inbox.sources.length === 0 && inbox.tab.name === 'open') {
    return (
      <EmptyState
        icon={InboxIcon}
        title="No incident yet"
        action={
          <Button component={Link} href={href('sources')}>
            Add a source
          </Button>
        }
      >
        A source sends events. Each condition that needs attention becomes an incident here.
      </EmptyState>
    );
  }
  const source = inbox.sources.find((each) => each.enabled);
  if (source && isFirst && inbox.tab.name === 'open' && can('member')) {
    return (
      <EmptyState
        icon={InboxIcon}
        title="No incident yet"
        action={
          <Suspense fallback={null}>
            <TestEvent source={source} />
          </Suspense>
        }
      >
        A test event of {source.name} takes the same path as any event. Its incident appears here and may notify people.
      </EmptyState>
    );
  }
  return (
    <EmptyState
      icon={InboxIcon}
      title={
        inbox.tab.name === 'open'
          ? 'All quiet'
          : inbox.tab.name === 'all'
            ? 'No incidents'
            : `No ${inbox.tab.name} incidents`
      }
    >
      {inbox.tab.name === 'open' ? (
        <>
          Nothing needs attention. <LastResolved workspaceId={inbox.matching.filter.workspaceId} /> New incidents appear
          here automatically.
        </>
      ) : (
        'Choose another tab to see more.'
      )}
    </EmptyState>
  );
}
