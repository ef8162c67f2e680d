/** For `useInfiniteQuery` with a generated list: pages by cursor, until there is none. The first page has no cursor. */
export const pages = {
  initialPageParam: {} as never,
  getNextPageParam: (last: { nextCursor: string | null }) => last.nextCursor ?? undefined,
};

type Pages = {
  isFetching?: boolean;
  fetchNextPage?: () => unknown;
  refetch: (options: { cancelRefetch: boolean }) => unknown;
};

/** Reads the next page. A running read of the list ends first: a next page would cancel it, and its changes would not be seen. */
export async function readNextPage({ isFetching, fetchNextPage, refetch }: Pages): Promise<void> {
  if (isFetching) await refetch({ cancelRefetch: false });
  await fetchNextPage?.();
}
