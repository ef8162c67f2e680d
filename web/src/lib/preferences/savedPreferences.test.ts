import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { PreferencesRecord } from '@/api';

const RECORD = {
  theme: 'dark',
  density: 'compact',
  hourCycle: 'h23',
  times: 'utc',
  shortcuts: false,
  defaultSnoozeMinutes: 30,
  lastWorkspaceId: null,
  perWorkspace: {},
  desktopNotices: true,
  sound: true,
  rev: 3,
} as PreferencesRecord;

describe('preferences of the service', () => {
  beforeEach(() => {
    const stored = new Map<string, string>();
    vi.stubGlobal('localStorage', {
      getItem: (key: string) => stored.get(key) ?? null,
      setItem: (key: string, value: string) => stored.set(key, value),
    });
    vi.stubGlobal('document', { querySelector: () => null, documentElement: { dataset: {} } });
    vi.resetModules();
  });

  it('are read as this dashboard names them', async () => {
    const { fromRecord } = await import('@/lib/preferences/savedPreferences');
    expect(fromRecord(RECORD)).toEqual({
      theme: 'dark',
      density: 'compact',
      hourCycle: 'h23',
      times: 'utc',
      shortcuts: false,
      snoozeMinutes: 30,
      desktopNotices: true,
      sound: true,
    });
  });

  it('are changed by the names of the service', async () => {
    const { toEdit } = await import('@/lib/preferences/savedPreferences');
    expect(toEdit({ density: 'compact', snoozeMinutes: 15 })).toEqual({ density: 'compact', defaultSnoozeMinutes: 15 });
    expect(toEdit({ theme: 'dark', sound: true })).toEqual({ theme: 'dark', sound: true });
  });

  it('include earlier choices of this browser, and no default', async () => {
    const { chosen } = await import('@/lib/preferences/savedPreferences');
    const { SHIPPED } = await import('@/lib/preferences/preferences');
    expect(chosen({ ...SHIPPED, density: 'compact' })).toEqual({ density: 'compact' });
    expect(chosen(SHIPPED)).toEqual({});
  });

  it('are saved when a person changes them, and not when they are shown', async () => {
    const { preferences, savePreferencesBy, setPreferences, showPreferences } =
      await import('@/lib/preferences/preferences');
    const saved = vi.fn();
    savePreferencesBy(saved);
    showPreferences({ times: 'utc' });
    setPreferences({ density: 'compact' });
    expect(saved.mock.calls).toEqual([[{ density: 'compact' }]]);
    expect(preferences()).toMatchObject({ times: 'utc', density: 'compact' });
  });

  it('follow those that another tab stores', async () => {
    const page = new EventTarget();
    vi.stubGlobal('window', page);
    const { followOtherTabs, onPreferences, preferences } = await import('@/lib/preferences/preferences');
    followOtherTabs();
    const changed = vi.fn();
    onPreferences(changed);
    localStorage.setItem('inbox-preferences', JSON.stringify({ sound: true, density: 'compact' }));

    page.dispatchEvent(Object.assign(new Event('storage'), { key: 'another' }));
    expect(preferences().sound).toBe(false);
    page.dispatchEvent(Object.assign(new Event('storage'), { key: 'inbox-preferences' }));
    expect(preferences()).toMatchObject({ sound: true, times: 'local' });
    expect(document.documentElement.dataset.density).toBe('compact');
    expect(changed).toHaveBeenCalledTimes(1);
  });
});
