import { Button, Group, Select, Text } from '@mantine/core';
import { useState } from 'react';
import type { CalendarFeedRecord, WorkspaceRecord } from '@/api';
import { useSession } from '@/lib/session/workspace';
import { FeedState } from '@/parts/calendar/FeedState';
import { NewFeed } from '@/parts/calendar/NewFeed';
import { useFeedActs, useFeeds } from '@/parts/calendar/useFeeds';
import { ConfirmButton } from '@/parts/ConfirmButton';
import { SkeletonRows } from '@/parts/EmptyState';
import { ProblemAlert } from '@/parts/ProblemAlert';
import { SectionList, SectionRow, SettingsSection } from '@/parts/SettingsSection';

/** Secret addresses by which calendar programs read shifts: the own ones, and those of schedules. */
export function Calendars() {
  const { workspaces } = useSession();
  const { query, feeds } = useFeeds();
  const acts = useFeedActs();
  return (
    <SettingsSection
      id="calendars"
      title="Calendar feeds"
      about="See your shifts in your calendar. Whoever knows the address of a feed reads names and times."
    >
      {query.isPending && <SkeletonRows count={1} />}
      {query.error && <ProblemAlert fault={query.error} onRetry={() => query.refetch()} />}
      {query.isSuccess && feeds.length === 0 && (
        <Text size="sm" className="soft">
          You have no calendar feed.
        </Text>
      )}
      <SectionList label="Calendar feeds">
        {feeds.map((feed) => (
          <Row key={feed.id} feed={feed} workspaces={workspaces} acts={acts} />
        ))}
      </SectionList>
      <NewOwnFeed workspaces={workspaces} feeds={feeds} acts={acts} />
      <NewFeed made={acts.made} onClose={acts.forget} />
    </SettingsSection>
  );
}

type RowProps = { feed: CalendarFeedRecord; workspaces: WorkspaceRecord[]; acts: ReturnType<typeof useFeedActs> };

function Row({ feed, workspaces, acts }: RowProps) {
  const where = workspaces.find((each) => each.id === feed.workspaceId)?.name ?? '';
  const name = feed.scheduleId === null ? `My shifts in ${where}` : `${feed.scheduleName}, ${where}`;
  return (
    <SectionRow
      actions={
        <ConfirmButton
          word="Revoke"
          label={`Revoke ${name}`}
          title={`Revoke ${name}`}
          busy={acts.busy === feed.id}
          onConfirm={() => void acts.revoke(feed)}
        >
          Programs can no longer read these shifts at the address.
        </ConfirmButton>
      }
    >
      <strong>{name}</strong>
      <FeedState feed={feed} />
    </SectionRow>
  );
}

type NewProps = { workspaces: WorkspaceRecord[]; feeds: CalendarFeedRecord[]; acts: ReturnType<typeof useFeedActs> };

/** Offers a feed of the own shifts in each workspace that has none. */
function NewOwnFeed({ workspaces, feeds, acts }: NewProps) {
  const [chosen, setChosen] = useState('');
  const free = workspaces.filter(
    (each) => !feeds.some((feed) => feed.workspaceId === each.id && feed.scheduleId === null),
  );
  const workspace = free.find((each) => each.id === chosen) ?? free[0];
  if (!workspace) return null;
  return (
    <Group gap="xs" align="flex-end">
      {free.length > 1 && (
        <Select
          label="My shifts in"
          allowDeselect={false}
          data={free.map((each) => ({ value: each.id, label: each.name }))}
          value={workspace.id}
          onChange={(id) => id && setChosen(id)}
        />
      )}
      <Button
        variant="default"
        mih="var(--target)"
        loading={acts.busy === 'create'}
        onClick={() => void acts.create({ workspaceId: workspace.id, scheduleId: null })}
      >
        {free.length > 1 ? 'Create a calendar feed' : `Create a calendar feed of my shifts in ${workspace.name}`}
      </Button>
    </Group>
  );
}
