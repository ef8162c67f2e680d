import type { UseFormReturnType } from '@mantine/form';
import type { DailyMessages, QuietHours, Retention, SettingsShape, WorkspaceChange, WorkspaceRecord } from '@/api';

export type Values = { name: string; timezone: string; settings: Filled };
export type SettingsFormType = UseFormReturnType<Values>;
export type Filled = {
  quietHours: Required<QuietHours>;
  reopenWindowMinutes: number;
  reoccurQuietMinutes: number;
  joinedQuietMinutes: number;
  autoResolveMinutes: number;
  ackTimeoutMinutes: number;
  renotifyMinutes: { CRITICAL: number; ERROR: number; WARNING: number };
  renotifyMax: number;
  fallbackDestinationId: string | null;
  retention: Required<Retention>;
  requireMfa: boolean;
  dailyMessages: Required<DailyMessages>;
};

/** The values of the form; the API returns every setting, also those at their defaults. */
export function valuesOf(workspace: WorkspaceRecord): Values {
  const given: SettingsShape = workspace.settings;
  return {
    name: workspace.name,
    timezone: workspace.timezone,
    settings: {
      quietHours: { enabled: false, timezone: null, windows: [], holidays: [], ...given.quietHours },
      reopenWindowMinutes: given.reopenWindowMinutes ?? 60,
      reoccurQuietMinutes: given.reoccurQuietMinutes ?? 15,
      joinedQuietMinutes: given.joinedQuietMinutes ?? 5,
      autoResolveMinutes: given.autoResolveMinutes ?? 0,
      ackTimeoutMinutes: given.ackTimeoutMinutes ?? 0,
      renotifyMinutes: { CRITICAL: 30, ERROR: 120, WARNING: 0, ...given.renotifyMinutes },
      renotifyMax: given.renotifyMax ?? 6,
      fallbackDestinationId: given.fallbackDestinationId ?? null,
      retention: { eventDays: 90, incidentDays: 365, deliveryDays: 30, auditDays: 730, ...given.retention },
      requireMfa: given.requireMfa ?? false,
      dailyMessages: {
        smsPerPerson: 200,
        smsPerWorkspace: 200,
        callsPerPerson: 50,
        callsPerWorkspace: 50,
        ...given.dailyMessages,
      },
    },
  };
}

/** Only what differs, also within a nested setting: the service keeps the members that are not sent. */
export function changeOf(before: Values, now: Values): WorkspaceChange {
  const { name, ...change } = differing(before, now) as WorkspaceChange;
  return name === undefined ? change : { ...change, name: name.trim() };
}

/** Each setting by its label, to compare two versions. */
export function wordsOf({ name, timezone, settings }: Values): Record<string, unknown> {
  const { dailyMessages, quietHours, renotifyMinutes, retention } = settings;
  return {
    Name: name.trim(),
    'Time zone': timezone,
    'Require a second factor': settings.requireMfa,
    'Reopen within (minutes)': settings.reopenWindowMinutes,
    'Notify again after silence of (minutes)': settings.reoccurQuietMinutes,
    'Collect further alerts for (minutes)': settings.joinedQuietMinutes,
    'Auto-resolve after no events for (minutes)': settings.autoResolveMinutes,
    'Unacknowledge after (minutes)': settings.ackTimeoutMinutes,
    'Remind every (critical, minutes)': renotifyMinutes.CRITICAL,
    'Remind every (error, minutes)': renotifyMinutes.ERROR,
    'Remind every (warning, minutes)': renotifyMinutes.WARNING,
    'Max reminders': settings.renotifyMax,
    'Fallback destination': settings.fallbackDestinationId,
    'SMS a day to one person': dailyMessages.smsPerPerson,
    'SMS a day of the workspace': dailyMessages.smsPerWorkspace,
    'Calls a day to one person': dailyMessages.callsPerPerson,
    'Calls a day of the workspace': dailyMessages.callsPerWorkspace,
    'Quiet hours': quietHours.enabled,
    'Quiet hours time zone': quietHours.timezone,
    'Quiet hours windows': quietHours.windows.map(({ days, start, end }) => `${days.join(' ')} ${start} to ${end}`),
    Holidays: quietHours.holidays,
    'Event retention (days)': retention.eventDays,
    'Resolved incident retention (days)': retention.incidentDays,
    'Delivery retention (days)': retention.deliveryDays,
    'Audit entry retention (days)': retention.auditDays,
  };
}

/** The members of an object that differ. Objects are compared member by member, lists as a whole. */
function differing<Shape extends object>(before: Shape, now: Shape): Partial<Shape> {
  const names = Object.keys(now) as (keyof Shape)[];
  const changed = names.filter((name) => JSON.stringify(before[name]) !== JSON.stringify(now[name]));
  return Object.fromEntries(
    changed.map((name) => {
      const [old, value] = [before[name], now[name]];
      return [name, isShape(old) && isShape(value) ? differing(old, value) : value];
    }),
  ) as Partial<Shape>;
}

function isShape(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
