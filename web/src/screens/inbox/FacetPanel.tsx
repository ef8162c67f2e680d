import { useId, useState } from 'react';
import { useSession } from '@/lib/session/workspace';
import { SkeletonRows } from '@/parts/EmptyState';
import { ProblemAlert } from '@/parts/ProblemAlert';
import classes from '@/screens/inbox/FacetPanel.module.css';
import { type FacetRow, FACETS, rowsOf, toggled } from '@/screens/inbox/facets';
import type { useInbox } from '@/screens/inbox/useInbox';

const SHOWN = 6;

/** The values that the incidents of the list have, with their numbers. A click adds a value to the search or removes it. */
export function FacetPanel({ inbox }: { inbox: ReturnType<typeof useInbox> }) {
  const { me } = useSession();
  const query = inbox.facets;
  if (query.isPending && !query.error) return <SkeletonRows count={6} />;
  if (!query.data) return <ProblemAlert fault={query.error} onRetry={() => query.refetch()} />;
  const searched = { text: inbox.text, search: inbox.search, names: inbox.names, me: me.id };
  const groups = FACETS.map(({ name, label }) => ({
    name,
    label,
    rows: rowsOf(name, query.data.facets[name], searched),
    more: query.data.facets[name]?.more ?? false,
  })).filter((each) => each.rows.length > 0);
  return (
    <div aria-busy={query.isPlaceholderData || undefined}>
      {groups.length === 0 && <p className={classes.note}>No incidents to filter.</p>}
      {groups.map(({ name, label, rows, more }) => (
        <Group
          key={name}
          label={label}
          rows={rows}
          more={more}
          onToggle={(value) => inbox.set({ q: toggled(name, value, searched) })}
        />
      ))}
      {query.data.partial && <p className={classes.note}>Counts cover only the incidents seen last.</p>}
    </div>
  );
}

type GroupProps = { label: string; rows: FacetRow[]; more: boolean; onToggle: (value: string) => void };

function Group({ label, rows, more, onToggle }: GroupProps) {
  const [isLong, setLong] = useState(false);
  const id = useId();
  const shown = isLong ? rows : rows.filter((each, place) => place < SHOWN || each.isChosen);
  const hidden = rows.length - shown.length;
  return (
    <div className={classes.facet} role="group" aria-labelledby={id}>
      <h2 id={id} className={classes.label}>
        {label}
      </h2>
      <ul className={classes.values}>
        {shown.map(({ value, label: text, count, isChosen }) => (
          <li key={value}>
            <button type="button" className={classes.value} aria-pressed={isChosen} onClick={() => onToggle(value)}>
              <span className="clip" title={text}>
                {text}
              </span>
              {count !== null && (
                <span className={`${classes.count} numbers`}>
                  {count.toLocaleString()}
                  <span className="only-for-readers">{count === 1 ? ' incident' : ' incidents'}</span>
                </span>
              )}
            </button>
          </li>
        ))}
      </ul>
      {hidden > 0 && (
        <button type="button" className={classes.more} onClick={() => setLong(true)}>
          Show {hidden} more<span className="only-for-readers"> of {label}</span>
        </button>
      )}
      {hidden === 0 && more && <p className={classes.note}>The most frequent are shown.</p>}
    </div>
  );
}
