import type { CSSProperties } from 'react';
import type { WallHeartbeats, WallMonitor } from '@/api';
import { useMonitors } from '@/parts/heartbeats/useMonitors';
import { STATUS_NAMES, STATUSES } from '@/parts/heartbeats/words';
import classes from '@/screens/wall/Wall.module.css';

const NAMED = ['down', 'late'] as const;
const MAX_NAMED = 12;

/** The monitors of the workspace. */
export function Heartbeats() {
  const { monitors } = useMonitors();
  const byStatus = Object.fromEntries(
    STATUS_NAMES.map((name) => [name, monitors.filter((each) => each.status === name).length]),
  );
  const named = NAMED.flatMap((status) =>
    monitors.filter((each) => each.status === status).map(({ name }): WallMonitor => ({ name, status })),
  );
  return <HeartbeatList byStatus={byStatus} named={named} />;
}

/** The number of monitors with each status, and the names of down and late ones. Nothing without monitors. */
export function HeartbeatList({ byStatus, named }: WallHeartbeats) {
  if (STATUS_NAMES.every((name) => !byStatus[name])) return null;
  const failing = NAMED.reduce((sum, name) => sum + (byStatus[name] ?? 0), 0);
  const shown = named.slice(0, MAX_NAMED);
  return (
    <section className={classes.beats} aria-label="Heartbeats">
      <h2 className={classes.label}>Heartbeats</h2>
      <ul className={classes.statuses} aria-label="Heartbeats by status">
        {STATUS_NAMES.map((name) => {
          const count = byStatus[name] ?? 0;
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
      {shown.length > 0 && (
        <ul className={classes.missing} aria-label="Heartbeats that are down or late">
          {shown.map((each, index) => (
            <li key={`${each.name} ${index}`} style={{ '--mark': STATUSES[each.status].colour } as CSSProperties}>
              {each.name}
              <small>{STATUSES[each.status].word.toLowerCase()}</small>
            </li>
          ))}
          {failing > shown.length && <li>{failing - shown.length} more</li>}
        </ul>
      )}
    </section>
  );
}
