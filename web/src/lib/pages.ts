/** For `useInfiniteQuery` with a generated list: pages by cursor, until there is none. */
export const pages = {
  initialPageParam: {},
  getNextPageParam: (last: { nextCursor: string | null }) => (last.nextCursor === null ? undefined : { query: { cursor: last.nextCursor } }),
};
