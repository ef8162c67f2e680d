import { Button } from '@mantine/core';
import { type ReactNode, useId, useState } from 'react';
import { download } from '@/lib/requests/download';
import { type Cell, csv } from '@/screens/statistics/csv';
import classes from '@/screens/statistics/Statistics.module.css';

type Props = {
  title: string;
  head: string[];
  /** The numbers of the chart. The first cell of a row is its header. */
  rows: Cell[][];
  isWide?: boolean;
  /** Whether the children are already a table. */
  isTable?: boolean;
  children: ReactNode;
};

/** A chart with its numbers as a table and as a file. */
export function Figure({ title, head, rows, isWide = false, isTable = false, children }: Props) {
  const id = useId();
  const [asTable, setAsTable] = useState(false);
  const save = () => download(new Blob([csv(head, rows)], { type: 'text/csv' }), `${title.toLowerCase()}.csv`);
  return (
    <section aria-labelledby={id} className={isWide ? classes.wide : undefined}>
      <div className={classes.title}>
        <h2 id={id} className={classes.heading}>
          {title}
        </h2>
        {!isTable && (
          <Button
            variant="default"
            size="compact-sm"
            mih="var(--target)"
            onClick={() => setAsTable(!asTable)}
            aria-pressed={asTable}
            aria-label={`Table: ${title}`}
          >
            Table
          </Button>
        )}
        <Button variant="default" size="compact-sm" mih="var(--target)" onClick={save} aria-label={`CSV: ${title}`}>
          CSV
        </Button>
      </div>
      {asTable ? <Table title={title} head={head} rows={rows} /> : children}
    </section>
  );
}

function Table({ title, head, rows }: Pick<Props, 'title' | 'head' | 'rows'>) {
  return (
    <div className={classes.scroll} tabIndex={0} role="region" aria-label={`${title} as a table`}>
      <table className={classes.table}>
        <Head names={head} />
        <tbody>
          {rows.map(([name, ...cells], row) => (
            <tr key={row}>
              <th scope="row">{name}</th>
              <Cells names={head} cells={cells} />
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** The names of the columns; all but the first one have numbers. */
export function Head({ names }: { names: readonly string[] }) {
  return (
    <thead>
      <tr>
        {names.map((each, index) => (
          <th key={each} scope="col" className={index > 0 ? classes.number : undefined}>
            {each}
          </th>
        ))}
      </tr>
    </thead>
  );
}

/** The cells of a row after its name. */
export function Cells({ names, cells }: { names: readonly string[]; cells: readonly (number | string)[] }) {
  return cells.map((cell, index) => (
    <td key={names[index + 1]} className={classes.number}>
      {cell.toLocaleString()}
    </td>
  ));
}
