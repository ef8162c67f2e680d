import type { CSSProperties } from 'react';
import { useMonitors } from '@/parts/heartbeats/useMonitors';
import { STATUS_NAMES, STATUSES } from '@/parts/heartbeats/words';
import classes from '@/screens/wall/Wall.module.css';

const NAMED = ['down', 'late'];
const MAX_NAMED = 12;

/** The number of monitors with each status, and the names of down and late ones. Nothing without monitors. */
export function Heartbeats() {
  const { monitors } = useMonitors();
  if (monitors.length === 0) return null;
  const named = NAMED.flatMap((status) => monitors.filter((each) => each.status === status));
  return (
    <section className={classes.beats} aria-label="Heartbeats">
      <h2 className={classes.label}>Heartbeats</h2>
      <ul className={classes.statuses} aria-label="Heartbeats by status">
        {STATUS_NAMES.map((name) => {
          const count = monitors.filter((each) => each.status === name).length;
          const { word, colour, icon: Icon } = STATUSES[name];
          return (
            count > 0 && (
              <li key={name} style={{ color: colour }}>
                <Icon size="1.1em" aria-hidden /> {count} {word.toLowerCase()}
              </li>
            )
          );
        })}
      </ul>
      {named.length > 0 && (
        <ul className={classes.missing} aria-label="Heartbeats that are down or late">
          {named.slice(0, MAX_NAMED).map((each) => (
            <li key={each.id} style={{ '--mark': STATUSES[each.status].colour } as CSSProperties}>
              {each.name}
              <small>{STATUSES[each.status].word.toLowerCase()}</small>
            </li>
          ))}
          {named.length > MAX_NAMED && <li>{named.length - MAX_NAMED} more</li>}
        </ul>
      )}
    </section>
  );
}
