import type { HeartbeatSchedule, MonitorNew, MonitorRecord } from '@/api';
import type { Severity } from '@/lib/words/words';

type Method = MonitorRecord['methods'][number];
export type Unit = 'seconds' | 'minutes' | 'hours' | 'days';
/** A length of time as people set it. The field may be empty while they type. */
export type Span = { count: number | ''; unit: Unit };

/** The form of a monitor. */
export type Draft = {
  name: string;
  slug: string;
  sourceId: string | null;
  kind: 'simple' | 'cron';
  period: Span;
  expression: string;
  timezone: string;
  grace: Span;
  maxRuntime: Span | null;
  neverSeen: Span | null;
  methods: Method[];
  failures: number | '';
  severity: Severity;
  tags: string[];
};

export const UNIT_SECONDS: Record<Unit, number> = { seconds: 1, minutes: 60, hours: 3600, days: 86_400 };
export const FIELDS = [
  ...['name', 'slug', 'sourceId', 'tags', 'severity', 'graceSeconds', 'failuresBeforeIncident', 'maxRuntimeSeconds'],
  ...['alertIfNeverSeenAfterSeconds', 'methods', 'schedule.periodSeconds', 'schedule.expression', 'schedule.timezone'],
];

/** The methods of pings that can count. */
export const METHODS: Method[] = ['GET', 'HEAD', 'POST'];

const LONGEST_DAYS = 366;

/** The largest count of a unit that the service takes. */
export function mostOf(unit: Unit): number {
  return Math.floor((LONGEST_DAYS * UNIT_SECONDS.days) / UNIT_SECONDS[unit]);
}

export function spanOf(seconds: number): Span {
  const units: Unit[] = ['days', 'hours', 'minutes', 'seconds'];
  const unit = units.find((each) => seconds % UNIT_SECONDS[each] === 0) ?? 'seconds';
  return { count: seconds / UNIT_SECONDS[unit], unit };
}

export function secondsOf({ count, unit }: Span): number {
  return Math.round(Number(count) * UNIT_SECONDS[unit]);
}

export function newDraft(timezone: string, sourceId: string | null): Draft {
  return {
    name: '',
    slug: '',
    sourceId,
    kind: 'cron',
    period: { count: 1, unit: 'hours' },
    expression: '0 3 * * *',
    timezone,
    grace: { count: 5, unit: 'minutes' },
    maxRuntime: null,
    neverSeen: null,
    methods: METHODS,
    failures: 1,
    severity: 'ERROR',
    tags: [],
  };
}

export function draftOf(monitor: MonitorRecord, timezone: string): Draft {
  const { schedule, maxRuntimeSeconds, alertIfNeverSeenAfterSeconds: neverSeen } = monitor;
  const start = newDraft(timezone, monitor.sourceId);
  return {
    ...start,
    name: monitor.name,
    slug: monitor.slug ?? '',
    kind: schedule.kind,
    period: schedule.periodSeconds ? spanOf(schedule.periodSeconds) : start.period,
    expression: schedule.expression ?? start.expression,
    timezone: schedule.timezone ?? timezone,
    grace: spanOf(monitor.graceSeconds),
    maxRuntime: maxRuntimeSeconds === null ? null : spanOf(maxRuntimeSeconds),
    neverSeen: neverSeen === null ? null : spanOf(neverSeen),
    methods: monitor.methods,
    failures: monitor.failuresBeforeIncident,
    severity: monitor.severity,
    tags: monitor.tags,
  };
}

export function scheduleOf({ kind, period, expression, timezone }: Draft): HeartbeatSchedule {
  return kind === 'simple'
    ? { kind, periodSeconds: secondsOf(period) }
    : { kind, expression: expression.trim(), timezone };
}

export function bodyOf(draft: Draft): Omit<MonitorNew, 'workspaceId' | 'sourceId'> {
  return {
    name: draft.name.trim(),
    slug: draft.slug.trim() || null,
    schedule: scheduleOf(draft),
    graceSeconds: secondsOf(draft.grace),
    maxRuntimeSeconds: draft.maxRuntime && secondsOf(draft.maxRuntime),
    alertIfNeverSeenAfterSeconds: draft.neverSeen && secondsOf(draft.neverSeen),
    methods: draft.methods,
    failuresBeforeIncident: Number(draft.failures),
    severity: draft.severity,
    tags: draft.tags,
  };
}

/** Whether pings by other methods than POST are logged alone. */
export function countsPostOnly({ methods }: Draft): boolean {
  return methods.length === 1 && methods[0] === 'POST';
}

/** Returns the missing fields in words; empty when the form can be sent. */
export function missing(draft: Draft): string {
  if (draft.name.trim() === '') return 'Enter a name.';
  if (draft.sourceId === null) return 'Choose a source.';
  if (draft.kind === 'cron' && draft.expression.trim() === '') return 'Enter a cron expression.';
  if (draft.kind === 'simple' && secondsOf(draft.period) < 60) return 'The period is at least one minute.';
  if (secondsOf(draft.grace) < 60) return 'The grace is at least one minute.';
  if (draft.maxRuntime && secondsOf(draft.maxRuntime) < 60) return 'The maximum run time is at least one minute.';
  if (draft.neverSeen && secondsOf(draft.neverSeen) < 60) return 'The time for the first ping is at least one minute.';
  return draft.failures === '' ? 'Enter the number of failures.' : '';
}
