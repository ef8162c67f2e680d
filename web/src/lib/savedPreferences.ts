import type { PreferencesEdit, PreferencesRecord } from '@/api';
import { SHIPPED, type Preferences } from '@/lib/preferences';

/** The preferences of the service as this dashboard uses them. It shows the clock of a workspace as local time. */
export function fromRecord(record: PreferencesRecord): Preferences {
  const { theme, density, hourCycle, times, shortcuts, defaultSnoozeMinutes, desktopNotices, sound } = record;
  const zone = times === 'utc' ? 'utc' : 'local';
  return {
    theme,
    density,
    hourCycle,
    times: zone,
    shortcuts,
    snoozeMinutes: defaultSnoozeMinutes,
    desktopNotices,
    sound,
  };
}

/** A change as the service takes it. */
export function toEdit({ snoozeMinutes, ...change }: Partial<Preferences>): PreferencesEdit {
  return { ...change, ...(snoozeMinutes === undefined ? {} : { defaultSnoozeMinutes: snoozeMinutes }) };
}

/** What differs from the defaults: choices of this browser from before the service had any. */
export function chosen(local: Preferences): Partial<Preferences> {
  const names = Object.keys(SHIPPED) as (keyof Preferences)[];
  return Object.fromEntries(names.filter((name) => local[name] !== SHIPPED[name]).map((name) => [name, local[name]]));
}
