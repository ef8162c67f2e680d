import { useSyncExternalStore } from 'react';

/** What a person prefers on this device. The colour theme is kept by Mantine. */
export type Preferences = {
  density: 'comfortable' | 'compact';
  hourCycle: 'auto' | 'h23' | 'h12';
  times: 'local' | 'utc';
  shortcuts: boolean;
  snoozeMinutes: number;
};

const KEY = 'inbox-preferences';
const SHIPPED: Preferences = {
  density: 'comfortable',
  hourCycle: 'auto',
  times: 'local',
  shortcuts: true,
  snoozeMinutes: 60,
};
const listeners = new Set<() => void>();
let current: Preferences = read();

function read(): Preferences {
  try {
    return { ...SHIPPED, ...(JSON.parse(localStorage.getItem(KEY) ?? '{}') as Partial<Preferences>) };
  } catch {
    return SHIPPED;
  }
}

export function preferences(): Preferences {
  return current;
}

export function setPreferences(change: Partial<Preferences>): void {
  current = { ...current, ...change };
  localStorage.setItem(KEY, JSON.stringify(current));
  applyPreferences();
  listeners.forEach((listener) => listener());
}

/** Puts what style sheets need on the root element. */
export function applyPreferences(): void {
  document.documentElement.dataset.density = current.density;
}

export function usePreferences(): Preferences {
  return useSyncExternalStore(subscribe, preferences);
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
