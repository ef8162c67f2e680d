import { CircleCheck, CircleDashed, CirclePause, CircleX, Clock, LoaderCircle, type LucideIcon } from 'lucide-react';
import type { BarEntry, FlipRecord, MonitorRecord, PingRecord } from '@/api';

export type Status = MonitorRecord['status'];
export type Outcome = BarEntry['outcome'];

type Look = { word: string; colour: string; icon: LucideIcon; about: string };

/** From what needs attention to what rests. */
export const STATUSES: Record<Status, Look> = {
  down: {
    word: 'Down',
    colour: 'var(--severity-critical)',
    icon: CircleX,
    about: 'The deadline has passed, or a run failed.',
  },
  late: {
    word: 'Late',
    colour: 'var(--severity-warning)',
    icon: Clock,
    about: 'A ping is overdue, or a run failed without opening an incident yet.',
  },
  running: {
    word: 'Running',
    colour: 'var(--severity-info)',
    icon: LoaderCircle,
    about: 'A start ping arrived. The run has not ended yet.',
  },
  up: { word: 'Up', colour: 'var(--severity-success)', icon: CircleCheck, about: 'Pings arrive on time.' },
  new: { word: 'New', colour: 'var(--text-soft)', icon: CircleDashed, about: 'No ping has arrived yet.' },
  paused: { word: 'Paused', colour: 'var(--text-soft)', icon: CirclePause, about: 'No ping is expected.' },
};
export const STATUS_NAMES = Object.keys(STATUSES) as Status[];

export const OUTCOMES: Record<Outcome, { word: string; colour: string }> = {
  on_time: { word: 'on time', colour: 'var(--severity-success)' },
  late: { word: 'late', colour: 'var(--severity-warning)' },
  missed: { word: 'missed', colour: 'var(--severity-critical)' },
  failed: { word: 'failed', colour: 'var(--severity-critical)' },
};

export const CAUSES: Record<FlipRecord['cause'], string> = {
  missed: 'No ping arrived in time',
  timed_out: 'A run took longer than its maximum run time',
  never_seen: 'No first ping arrived in time',
  failed: 'A run failed',
  recovered: 'A run succeeded',
  paused: 'Paused by a person',
  resumed: 'Resumed by a person',
  changed: 'The schedule was changed',
  deleted: 'Deleted by a person',
  excused: 'The service could not receive pings; waiting for the next one',
};

/** "Success", "Failed with exit code 7". */
export function pingWord({ kind, exitCode }: Pick<PingRecord, 'kind' | 'exitCode'>): string {
  if (kind === 'fail') return exitCode === null ? 'Failure' : `Failure, exit code ${exitCode}`;
  return { success: 'Success', start: 'Start', log: 'Log text', ignored: 'Not counted' }[kind];
}

/** "480 ms", "2.1 s", "3 min 5 s". */
export function runtime(milliseconds: number): string {
  if (milliseconds < 1000) return `${milliseconds} ms`;
  const seconds = milliseconds / 1000;
  if (seconds < 60) return `${seconds < 10 ? seconds.toFixed(1) : Math.round(seconds)} s`;
  const whole = Math.round(seconds);
  const [hours, minutes] = [Math.floor(whole / 3600), Math.floor((whole % 3600) / 60)];
  if (hours > 0) return minutes ? `${hours} h ${minutes} min` : `${hours} h`;
  return whole % 60 ? `${minutes} min ${whole % 60} s` : `${minutes} min`;
}
