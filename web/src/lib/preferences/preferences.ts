import { useSyncExternalStore } from 'react';
import type { WorkspaceRecord } from '@/api';
import { ownName } from '@/lib/navigation/base';

/** Preferences of a person. This browser has a copy until the service answers. Mantine has one of the theme. */
export type Preferences = {
  theme: 'system' | 'light' | 'dark';
  density: 'comfortable' | 'compact';
  hourCycle: 'auto' | 'h23' | 'h12';
  times: 'local' | 'workspace' | 'utc';
  shortcuts: boolean;
  snoozeMinutes: number;
  desktopNotices: boolean;
  sound: boolean;
};

/** The stored preferences. The last open workspace is not shown, and each browser remembers it separately. */
export type Saved = Partial<Preferences> & { lastWorkspaceId?: WorkspaceRecord['id'] };

const KEY = ownName('inbox-preferences');
export const SHIPPED: Preferences = {
  theme: 'system',
  density: 'comfortable',
  hourCycle: 'auto',
  times: 'local',
  shortcuts: true,
  snoozeMinutes: 60,
  desktopNotices: false,
  sound: false,
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

/** Changes preferences here and, where somebody is signed in, in the service. */
export function setPreferences(change: Partial<Preferences>): void {
  showPreferences(change);
  save(change);
}

/** Saves in the service which workspace is open. */
export function saveWorkspace(lastWorkspaceId: WorkspaceRecord['id']): void {
  save({ lastWorkspaceId });
}

let save: (change: Saved) => void = () => undefined;

/** Sets the function that sends changes to the service; without it they stay in this browser. */
export function savePreferencesBy(next: (change: Saved) => void = () => undefined): void {
  save = next;
}

/** Shows preferences without saving them in the service. */
export function showPreferences(change: Partial<Preferences>): void {
  current = { ...current, ...change };
  localStorage.setItem(KEY, JSON.stringify(current));
  announce();
}

/** Shows what another tab of this browser stored. A hidden tab reads nothing from the service. */
export function followOtherTabs(): void {
  window.addEventListener('storage', ({ key }) => {
    if (key !== KEY) return;
    current = read();
    announce();
  });
}

function announce(): void {
  applyPreferences();
  listeners.forEach((listener) => listener());
}

/** Puts what style sheets need on the root element. */
export function applyPreferences(): void {
  document.documentElement.dataset.density = current.density;
}

export function usePreferences(): Preferences {
  return useSyncExternalStore(onPreferences, preferences);
}

/** Calls the listener when preferences change; answers how to stop. */
export function onPreferences(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
