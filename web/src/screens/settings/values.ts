import type { UseFormReturnType } from '@mantine/form';
import type { QuietHours, Retention, SettingsShape, WorkspaceChange, WorkspaceRecord } from '@/api';

export type Values = { name: string; timezone: string; settings: Filled };
export type SettingsFormType = UseFormReturnType<Values>;
export type Filled = {
  quietHours: Required<QuietHours>;
  reopenWindowMinutes: number;
  reoccurQuietMinutes: number;
  autoResolveMinutes: number;
  ackTimeoutMinutes: number;
  renotifyMinutes: { CRITICAL: number; ERROR: number; WARNING: number };
  renotifyMax: number;
  fallbackDestinationId: string | null;
  retention: Required<Retention>;
  requireMfa: boolean;
};

/** What the form shows; the API answers every setting, also those at their defaults. */
export function valuesOf(workspace: WorkspaceRecord): Values {
  const given: SettingsShape = workspace.settings;
  return {
    name: workspace.name,
    timezone: workspace.timezone,
    settings: {
      quietHours: { enabled: false, timezone: null, windows: [], holidays: [], ...given.quietHours },
      reopenWindowMinutes: given.reopenWindowMinutes ?? 60,
      reoccurQuietMinutes: given.reoccurQuietMinutes ?? 15,
      autoResolveMinutes: given.autoResolveMinutes ?? 0,
      ackTimeoutMinutes: given.ackTimeoutMinutes ?? 0,
      renotifyMinutes: { CRITICAL: 30, ERROR: 120, WARNING: 0, ...given.renotifyMinutes },
      renotifyMax: given.renotifyMax ?? 6,
      fallbackDestinationId: given.fallbackDestinationId ?? null,
      retention: { eventDays: 90, incidentDays: 365, deliveryDays: 30, auditDays: 730, ...given.retention },
      requireMfa: given.requireMfa ?? false,
    },
  };
}

/** Only what differs; a nested setting is sent as a whole. */
export function changeOf(before: Values, now: Values): WorkspaceChange {
  const change: WorkspaceChange = {};
  if (before.name !== now.name) change.name = now.name.trim();
  if (before.timezone !== now.timezone) change.timezone = now.timezone;
  const keys = Object.keys(now.settings) as (keyof Filled)[];
  const changed = keys.filter((key) => JSON.stringify(before.settings[key]) !== JSON.stringify(now.settings[key]));
  if (changed.length > 0) change.settings = Object.fromEntries(changed.map((key) => [key, now.settings[key]]));
  return change;
}
