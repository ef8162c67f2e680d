import { Button, Group, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { CalendarPlus } from 'lucide-react';
import { useWorkspace } from '@/lib/session/workspace';
import { FeedState } from '@/parts/calendar/FeedState';
import { NewFeed } from '@/parts/calendar/NewFeed';
import { useFeedActs, useFeeds } from '@/parts/calendar/useFeeds';
import { Modal } from '@/parts/dialogs';
import { SkeletonRows } from '@/parts/EmptyState';
import { ProblemAlert } from '@/parts/ProblemAlert';

/** `scheduleId` null: the shifts of the person in all schedules of the workspace. `isCompact`: beside a small heading. */
type Props = { scheduleId: string | null; title: string; isCompact?: boolean };

/** Opens the calendar feed of a schedule or of the own shifts: its state, a new address, and the end of the present one. */
export function FeedButton({ scheduleId, title, isCompact = false }: Props) {
  const { workspace } = useWorkspace();
  const [isOpen, dialog] = useDisclosure(false);
  const acts = useFeedActs();
  return (
    <>
      <Button
        variant="default"
        {...(isCompact ? { size: 'compact-sm' } : { leftSection: <CalendarPlus size={15} aria-hidden /> })}
        mih="var(--target)"
        aria-label="Calendar feed"
        onClick={dialog.open}
      >
        Calendar
      </Button>
      <Modal opened={isOpen && acts.made === null} onClose={dialog.close} title={title}>
        {isOpen && (
          <Content
            scheduleId={scheduleId}
            acts={acts}
            onCreate={() => void acts.create({ workspaceId: workspace.id, scheduleId })}
          />
        )}
      </Modal>
      <NewFeed
        made={acts.made}
        onClose={() => {
          acts.forget();
          dialog.close();
        }}
      />
    </>
  );
}

type ContentProps = { scheduleId: string | null; acts: ReturnType<typeof useFeedActs>; onCreate: () => void };

function Content({ scheduleId, acts, onCreate }: ContentProps) {
  const { workspace } = useWorkspace();
  const { query, feeds } = useFeeds(workspace.id);
  const feed = feeds.find((each) => each.scheduleId === scheduleId);
  return (
    <Stack gap="sm">
      <Text size="sm">
        A secret address shows the shifts to calendar programs (.ics), telephone systems (.txt) and scripts (.json).
        Whoever knows it reads names and times.
      </Text>
      {query.error && <ProblemAlert fault={query.error} onRetry={() => query.refetch()} />}
      {query.isPending && <SkeletonRows count={1} />}
      {query.data && (
        <>
          {feed && <FeedState feed={feed} />}
          {feed && (
            <Text size="sm" className="soft">
              A new address ends this one. Programs that read it must be given the new one.
            </Text>
          )}
          <Group justify="flex-end">
            {feed && (
              <Button
                color="red"
                variant="light"
                mih="var(--target)"
                loading={acts.busy === feed.id}
                onClick={() => void acts.revoke(feed)}
              >
                Revoke
              </Button>
            )}
            <Button mih="var(--target)" loading={acts.busy === 'create'} onClick={onCreate}>
              {feed ? 'Create a new address' : 'Create an address'}
            </Button>
          </Group>
        </>
      )}
    </Stack>
  );
}
