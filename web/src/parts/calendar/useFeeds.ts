import { useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import {
  type CalendarFeedCreated,
  type CalendarFeedNew,
  type CalendarFeedRecord,
  calendarFeedsCreate,
  calendarFeedsRemove,
} from '@/api';
import { calendarFeedsListInfiniteOptions } from '@/api/@tanstack/react-query.gen';
import { pages } from '@/lib/requests/pages';
import { refresh } from '@/lib/requests/refresh';
import { useAllPages } from '@/lib/requests/useAllPages';
import { say } from '@/parts/toast';
import { useAttempt } from '@/parts/useAttempt';

const reread = () => void refresh('calendarFeedsList');

/** The calendar feeds of the person, in one workspace or in all. */
export function useFeeds(workspaceId?: CalendarFeedRecord['workspaceId']) {
  const query = useInfiniteQuery({
    ...calendarFeedsListInfiniteOptions({ query: { ...(workspaceId ? { workspaceId } : {}), limit: 200 } }),
    ...pages,
  });
  useAllPages(query);
  return { query, feeds: query.data?.pages.flatMap((page) => page.items) ?? [] };
}

/** Creates and revokes feeds. `made` has the addresses of a new one, in this state alone: they are shown once. */
export function useFeedActs() {
  const [made, setMade] = useState<CalendarFeedCreated | null>(null);
  const { busy, attempt } = useAttempt();
  const create = (body: CalendarFeedNew) =>
    attempt('create', async () => {
      setMade((await calendarFeedsCreate({ body, throwOnError: true })).data);
      reread();
    });
  const revoke = ({ id }: CalendarFeedRecord) =>
    attempt(id, async () => {
      await calendarFeedsRemove({ path: { feed_id: id }, throwOnError: true });
      say('The address was revoked');
      reread();
    });
  return { made, busy, create, revoke, forget: () => setMade(null) };
}
