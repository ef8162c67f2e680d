import type { PreferencesEdit, PreferencesRecord } from '@/api';
import { SHIPPED, type Preferences, type Saved } from '@/lib/preferences/preferences';

/** The preferences of the service as this dashboard uses them. */
export function fromRecord(record: PreferencesRecord): Preferences {
  const { theme, density, hourCycle, times, shortcuts, defaultSnoozeMinutes, desktopNotices, sound } = record;
  return {
    theme,
    density,
    hourCycle,
    times,
    shortcuts,
    snoozeMinutes: defaultSnoozeMinutes,
    desktopNotices,
    sound,
  };
}

/** A change as the service accepts it. */
export function toEdit({ snoozeMinutes, ...change }: Saved): PreferencesEdit {
  return { ...change, ...(snoozeMinutes === undefined ? {} : { defaultSnoozeMinutes: snoozeMinutes }) };
}

/** Returns choices that differ from the defaults: this browser made them before the service had any. */
export function chosen(local: Preferences): Partial<Preferences> {
  const names = Object.keys(SHIPPED) as (keyof Preferences)[];
  return Object.fromEntries(names.filter((name) => local[name] !== SHIPPED[name]).map((name) => [name, local[name]]));
}
