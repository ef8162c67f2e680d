import { Button } from '@mantine/core';
import { Maximize, Volume2, WifiOff } from 'lucide-react';
import type { CSSProperties, ReactNode } from 'react';
import type { IncidentCounts, WallIncident } from '@/api';
import { playSound } from '@/lib/preferences/sound';
import { clock, duration, relative } from '@/lib/time/time';
import { SEVERITY_WORD, type Severity, STATE_WORD } from '@/lib/words/words';
import { severityColour, SeverityIcon } from '@/parts/SeverityBadge';
import styles from '@/parts/styles.module.css';
import { useAlarm } from '@/screens/wall/useAlarm';
import { useFit } from '@/screens/wall/useFit';
import classes from '@/screens/wall/Wall.module.css';

const LOUD: readonly Severity[] = ['CRITICAL', 'ERROR', 'WARNING'];

type BoardProps = {
  name: string;
  now: number;
  /** When the shown data was read; null: it is current. */
  staleSince: number | null;
  states: Pick<IncidentCounts['byState'], 'open' | 'acknowledged' | 'snoozed' | 'silenced'> | undefined;
  countOf: (severity: Severity) => number;
  rows: readonly WallIncident[] | undefined;
  /** Beside the clock. */
  sign?: ReactNode;
  /** Above the numbers, such as a fault. */
  notice?: ReactNode;
  heartbeats: ReactNode;
  /** In place of the rows. */
  instead: ReactNode;
  link?: ReactNode;
};

/** The wall display: the numbers, the rows that fit, and a flash with a sound when a critical incident opens. */
export function Board({
  name,
  now,
  staleSince,
  states,
  countOf,
  rows,
  sign,
  notice,
  heartbeats,
  instead,
  link,
}: BoardProps) {
  const { list, fits } = useFit(rows?.length ?? 0);
  const more = states ? states.open + states.acknowledged - fits : 0;
  const isAlarmed = useAlarm(rows);
  const isStale = staleSince !== null;
  return (
    <main className={classes.wall} id="content" data-stale={isStale || undefined} data-alarm={isAlarmed || undefined}>
      <header className={classes.head}>
        <h1 className={`${classes.name} ${classes.flush}`}>{name}</h1>
        <span className={classes.clock}>
          {sign}
          {clock(new Date(now).toISOString(), now)}
        </span>
      </header>
      {staleSince !== null && <Stale at={staleSince} now={now} />}
      {notice}
      {states && <Counts states={states} countOf={countOf} />}
      {heartbeats}
      {rows && rows.length > 0 ? (
        <ul ref={list} className={classes.list} aria-label="Open and acknowledged incidents">
          {rows.slice(0, fits).map((each) => (
            <Row key={each.id} of={each} now={now} />
          ))}
        </ul>
      ) : (
        instead
      )}
      {more > 0 && <span className={classes.meta}>{more} more</span>}
      <Foot link={link} />
    </main>
  );
}

function Foot({ link }: { link: ReactNode }) {
  return (
    <div className={classes.foot}>
      {link}
      <Button
        variant="default"
        size="sm"
        leftSection={<Maximize size={15} aria-hidden />}
        onClick={() => void document.documentElement.requestFullscreen?.()}
      >
        Full screen
      </Button>
      <Button
        variant="default"
        size="sm"
        title="Plays the sound once. A browser allows sounds after a click."
        leftSection={<Volume2 size={15} aria-hidden />}
        onClick={playSound}
      >
        Allow sound
      </Button>
    </div>
  );
}

type CountsProps = Pick<BoardProps, 'states' | 'countOf'>;

/** What is open or acknowledged by its severity, and what waits. */
function Counts({ states, countOf }: CountsProps) {
  return (
    <dl className={classes.counts}>
      {LOUD.map((severity) => (
        <Count
          key={severity}
          label={SEVERITY_WORD[severity]}
          value={countOf(severity)}
          colour={severityColour(severity)}
        />
      ))}
      <Count label="Acknowledged" value={states?.acknowledged ?? 0} />
      <Count label="Snoozed" value={states?.snoozed ?? 0} />
      <Count label="Silenced" value={states?.silenced ?? 0} />
    </dl>
  );
}

/** Says over the grey screen how old it is. */
function Stale({ at, now }: { at: number; now: number }) {
  const since = new Date(at).toISOString();
  return (
    <div className={classes.stale} role="alert">
      <WifiOff size="1.2em" aria-hidden />
      Out of date. Last updated {clock(since, now)}, {relative(since, now)}.
    </div>
  );
}

function Count({ label, value, colour }: { label: string; value: number; colour?: string }) {
  return (
    <div className={classes.count}>
      <dt>{label}</dt>
      <dd style={{ color: value > 0 ? colour : undefined }}>{value.toLocaleString()}</dd>
    </div>
  );
}

function Row({ of: each, now }: { of: WallIncident; now: number }) {
  const seconds = Math.max(0, (now - Date.parse(each.firstSeenAt)) / 1000);
  return (
    <li
      className={classes.row}
      data-state={each.state}
      style={{ '--mark': severityColour(each.severity) } as CSSProperties}
    >
      <SeverityIcon severity={each.severity} size={26} />
      <span className={classes.title}>{each.title}</span>
      <span className={classes.age}>{duration(seconds)}</span>
      <span className={classes.meta}>
        <span className={styles.strong} style={{ color: severityColour(each.severity) }}>
          {SEVERITY_WORD[each.severity]}
        </span>
        {' · '}
        {STATE_WORD[each.state]}
        {each.resource && ` · ${each.resource}`}
      </span>
    </li>
  );
}
