/** For `useInfiniteQuery` with a generated list: pages by cursor, until there is none. The first page has no cursor. */
export const pages = {
  initialPageParam: {} as never,
  getNextPageParam: (last: { nextCursor: string | null }) => last.nextCursor ?? undefined,
};
