import { Text } from '@mantine/core';
import { Link } from 'wouter';
import { Meter } from '@/screens/statistics/Bars';
import { Cells, Figure, Head } from '@/screens/statistics/Figure';
import classes from '@/screens/statistics/Statistics.module.css';

export type Row = { key: string; name: string; href?: string; size: number; cells: (number | string)[] };
type Props = { title: string; head: string[]; rows: Row[]; empty: string };

/** A table whose rows have a bar: the numbers are the text, the bar is the picture. */
export function Ranking({ title, head, rows, empty }: Props) {
  const most = Math.max(1, ...rows.map((each) => each.size));
  if (rows.length === 0)
    return (
      <section aria-label={title}>
        <h2 className={classes.heading}>{title}</h2>
        <Text size="sm" className="soft">
          {empty}
        </Text>
      </section>
    );
  return (
    <Figure title={title} isTable head={head} rows={rows.map((row) => [row.name, ...row.cells])}>
      <table className={classes.table}>
        <Head names={head} />
        <tbody>
          {rows.map((row) => (
            <tr key={row.key}>
              <td>
                {row.href ? (
                  <Link href={row.href} className={classes.rankedLink}>
                    {row.name}
                  </Link>
                ) : (
                  row.name
                )}
                <Meter share={row.size / most} />
              </td>
              <Cells names={head} cells={row.cells} />
            </tr>
          ))}
        </tbody>
      </table>
    </Figure>
  );
}
