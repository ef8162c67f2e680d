import { useEffect } from 'react';

type Pages = { hasNextPage: boolean; isFetching: boolean; isError: boolean; fetchNextPage: () => unknown };

/**
 * Reads page after page of a list until the last one. A running read of the list ends first: a next page would cancel it.
 * A page that cannot be read ends it until the list is read again.
 */
export function useAllPages({ hasNextPage, isFetching, isError, fetchNextPage }: Pages): void {
  useEffect(() => {
    if (hasNextPage && !isFetching && !isError) void fetchNextPage();
  }, [hasNextPage, isFetching, isError, fetchNextPage]);
}
