import type { MonitorRecord } from '@/api';
import { counted } from '@/lib/words/words';
import { type Outcome, OUTCOMES, type Status } from '@/parts/heartbeats/words';

/** The number of periods that a bar has room for. */
export const PERIODS = 50;

/** One period of a bar: how it ended, or what is going on in it now. */
export type Cell = { kind: Outcome; at: string } | { kind: 'running' | 'paused' | 'overdue'; at: string | null };

type Barred = Pick<MonitorRecord, 'bar' | 'status' | 'startedAt' | 'pausedAt' | 'nextDueAt'>;

const NOW: Partial<Record<Status, 'running' | 'paused' | 'overdue'>> = {
  running: 'running',
  paused: 'paused',
  late: 'overdue',
};
const CELL_WORD: Record<Cell['kind'], string> = {
  on_time: 'on time',
  late: 'late',
  missed: 'missed',
  failed: 'failed',
  running: 'running',
  paused: 'paused',
  overdue: 'overdue',
};

/** The outcomes of the last periods, the newest last, and the current period if it shows something. */
export function cellsOf(monitor: Barred): Cell[] {
  const cells: Cell[] = monitor.bar.map(({ at, outcome }) => ({ at, kind: outcome }));
  const now = NOW[monitor.status];
  const at = { running: monitor.startedAt, paused: monitor.pausedAt, overdue: monitor.nextDueAt };
  const isOverdue = now !== 'overdue' || (monitor.nextDueAt !== null && Date.parse(monitor.nextDueAt) <= Date.now());
  if (now && isOverdue) cells.push({ kind: now, at: at[now] });
  return cells.slice(-PERIODS);
}

/** The number of periods with each outcome; outcomes that did not occur are left out. */
export function countByOutcome(bar: MonitorRecord['bar']): [Outcome, number][] {
  const names = Object.keys(OUTCOMES) as Outcome[];
  const counts = names.map((name): [Outcome, number] => [name, bar.filter((each) => each.outcome === name).length]);
  return counts.filter(([, count]) => count > 0);
}

/** The bar in words: "14 runs: 12 on time, 1 late, 1 missed. Now running." */
export function barText(monitor: Barred): string {
  const now = cellsOf(monitor).at(-1);
  const state = now && !isOutcome(now) ? ` Now ${CELL_WORD[now.kind]}.` : '';
  if (monitor.bar.length === 0) return `No run yet.${state}`;
  const parts = countByOutcome(monitor.bar).map(([name, count]) => `${count} ${OUTCOMES[name].word}`);
  return `${counted(monitor.bar.length, 'run')}: ${parts.join(', ')}.${state}`;
}

export function cellWord(cell: Cell): string {
  return CELL_WORD[cell.kind];
}

function isOutcome(cell: Cell): boolean {
  return cell.kind in OUTCOMES;
}
