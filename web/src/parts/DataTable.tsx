import { Button, Center } from '@mantine/core';
import { ChevronDown, ChevronUp } from 'lucide-react';
import { useRef, useState, type KeyboardEvent, type ReactNode } from 'react';
import { readNextPage } from '@/lib/requests/pages';
import classes from '@/parts/DataTable.module.css';
import { SkeletonRows } from '@/parts/EmptyState';
import type { Sorting } from '@/parts/lists/useListAddress';
import { ProblemAlert } from '@/parts/ProblemAlert';
import styles from '@/parts/styles.module.css';

export type Column<Row> = {
  header: string;
  cell: (row: Row) => ReactNode;
  /** Not shown on a phone. */
  secondary?: boolean;
  width?: number | string;
  /** The sort of the list that the header asks for. */
  sort?: string;
};

/** The part of the result of `useInfiniteQuery` that a table needs. */
export type Pages<Row> = {
  data: { pages: { items: Row[] }[] } | undefined;
  error: unknown;
  isPending: boolean;
  hasNextPage?: boolean;
  isFetching?: boolean;
  isFetchingNextPage?: boolean;
  fetchNextPage?: () => unknown;
  refetch: (options?: { cancelRefetch: boolean }) => unknown;
};

type Props<Row> = {
  label: string;
  columns: Column<Row>[];
  query: Pages<Row>;
  rowKey: (row: Row) => string;
  empty: ReactNode;
  onOpen?: (row: Row) => void;
  sorting?: Sorting;
};

/** A list with pages by cursor: skeletons at first, the last rows under an error, one sentence and one button when empty. */
export function DataTable<Row>({ label, columns, query, rowKey, empty, onOpen, sorting }: Props<Row>) {
  const body = useRef<HTMLTableSectionElement>(null);
  const rows = query.data?.pages.flatMap((page) => page.items) ?? [];
  if (query.isPending) return <SkeletonRows />;
  if (query.error && rows.length === 0)
    return (
      <Padded>
        <ProblemAlert fault={query.error} onRetry={() => query.refetch()} />
      </Padded>
    );
  if (rows.length === 0 && !query.hasNextPage) return <>{empty}</>;
  const move = (event: KeyboardEvent, by: number) => {
    const all = [...(body.current?.querySelectorAll<HTMLElement>('tr') ?? [])];
    all[all.indexOf(event.currentTarget as HTMLElement) + by]?.focus();
    event.preventDefault();
  };
  const onKey = (event: KeyboardEvent, row: Row) => {
    if (event.target !== event.currentTarget) return;
    if (event.key === 'Enter' || event.key === 'o') onOpen?.(row);
    if (event.key === 'j' || event.key === 'ArrowDown') move(event, 1);
    if (event.key === 'k' || event.key === 'ArrowUp') move(event, -1);
  };
  return (
    <>
      {query.error ? (
        <Padded>
          <ProblemAlert fault={query.error} onRetry={() => query.refetch()} />
        </Padded>
      ) : null}
      <div className={styles.scrolling} tabIndex={-1}>
        <table className={classes.table} aria-label={label}>
          <thead>
            <tr>
              {columns.map((column) => (
                <Header key={column.header} column={column} sorting={sorting} />
              ))}
            </tr>
          </thead>
          <tbody ref={body}>
            {rows.map((row) => (
              <tr
                key={rowKey(row)}
                className={classes.row}
                data-opens={onOpen ? true : undefined}
                tabIndex={onOpen ? 0 : undefined}
                onClick={() => onOpen?.(row)}
                onKeyDown={(event) => onKey(event, row)}
              >
                {columns.map((column) => (
                  <td key={column.header} className={column.secondary ? classes.secondary : undefined}>
                    {column.cell(row)}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <More query={query} />
    </>
  );
}

/** The header of a column. One that sorts is a button with a caret. */
function Header<Row>({ column, sorting }: { column: Column<Row>; sorting?: Sorting }) {
  const isSorted = sorting !== undefined && column.sort === sorting.name;
  const Caret = isSorted && sorting.order === 'desc' ? ChevronDown : ChevronUp;
  return (
    <th
      scope="col"
      className={column.secondary ? classes.secondary : undefined}
      style={{ width: column.width }}
      aria-sort={isSorted ? (sorting.order === 'asc' ? 'ascending' : 'descending') : undefined}
    >
      {sorting && column.sort ? (
        <button type="button" className={classes.sort} onClick={() => sorting.sortBy(column.sort!)}>
          {column.header}
          <Caret size={14} aria-hidden className={isSorted ? undefined : classes.unsorted} />
        </button>
      ) : (
        column.header
      )}
    </th>
  );
}

/** The button that reads the next page. */
export function More<Row>({ query }: { query: Pages<Row> }) {
  const [isWaiting, setWaiting] = useState(false);
  if (!query.hasNextPage) return null;
  const readMore = async () => {
    setWaiting(true);
    await readNextPage(query);
    setWaiting(false);
  };
  return (
    <Center p="md">
      <Button variant="default" loading={isWaiting || query.isFetchingNextPage} onClick={() => void readMore()}>
        Show more
      </Button>
    </Center>
  );
}

function Padded({ children }: { children: ReactNode }) {
  return <div className={styles.footLine}>{children}</div>;
}
