import { Badge, Group } from '@mantine/core';
import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { meEndOtherSessions, meEndSession, type SessionRecord } from '@/api';
import { meSessionsInfiniteOptions } from '@/api/@tanstack/react-query.gen';
import { pages } from '@/lib/requests/pages';
import { browserOf } from '@/lib/session/browsers';
import { More } from '@/parts/DataTable';
import { SkeletonRows } from '@/parts/EmptyState';
import { ProblemAlert } from '@/parts/ProblemAlert';
import { SectionList, SectionRow, SettingsSection } from '@/parts/SettingsSection';
import styles from '@/parts/styles.module.css';
import { TimeAgo } from '@/parts/TimeAgo';
import { say } from '@/parts/toast';
import { ConfirmButton } from '@/parts/ConfirmButton';
import { refreshAccount } from '@/screens/account/refresh';
import { useAttempt } from '@/parts/useAttempt';

/** The sessions of the person; this session is marked. */
export function Sessions() {
  const client = useQueryClient();
  const query = useInfiniteQuery({ ...meSessionsInfiniteOptions({ query: { limit: 20 } }), ...pages });
  const { busy, attempt } = useAttempt();
  const sessions = query.data?.pages.flatMap((page) => page.items) ?? [];
  const end = (session: SessionRecord) =>
    attempt(session.id, async () => {
      await meEndSession({ path: { session_id: session.id }, throwOnError: true });
      say('The session was ended');
      refreshAccount(client);
    });
  const endOthers = () =>
    attempt('others', async () => {
      await meEndOtherSessions({ throwOnError: true });
      say('All other sessions were ended');
      refreshAccount(client);
    });
  return (
    <SettingsSection id="sessions" title="Sessions" about="Browsers that are signed in to your account.">
      {query.isPending && <SkeletonRows count={2} />}
      {query.error && <ProblemAlert fault={query.error} onRetry={() => query.refetch()} />}
      <SectionList label="Sessions">
        {sessions.map((session) => (
          <SectionRow
            key={session.id}
            actions={
              !session.current && (
                <ConfirmButton
                  word="Sign out"
                  label={`Sign out ${browserOf(session.userAgent)} at ${session.address}`}
                  title="Sign out this session"
                  busy={busy === session.id}
                  onConfirm={() => void end(session)}
                >
                  {browserOf(session.userAgent)} at {session.address} is signed out at once.
                </ConfirmButton>
              )
            }
          >
            <strong title={session.userAgent}>{browserOf(session.userAgent)}</strong>
            {session.current && (
              <Badge size="sm" variant="default" tt="none" ml={6}>
                This session
              </Badge>
            )}
            <div className={`soft ${styles.small}`}>
              {session.address}, active <TimeAgo at={session.lastSeenAt} />, signed in{' '}
              <TimeAgo at={session.createdAt} />
            </div>
          </SectionRow>
        ))}
      </SectionList>
      <More query={query} />
      {sessions.length > 1 && (
        <Group>
          <ConfirmButton
            word="Sign out all others"
            title="Sign out all other sessions"
            busy={busy === 'others'}
            onConfirm={() => void endOthers()}
          >
            This session and your paired devices stay signed in.
          </ConfirmButton>
        </Group>
      )}
    </SettingsSection>
  );
}
