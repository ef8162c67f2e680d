import { useMantineColorScheme } from '@mantine/core';
import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import { useEffect, useEffectEvent, useState } from 'react';
import { meEditPreferences, type PreferencesRecord, type Problem, type WorkspaceRecord } from '@/api';
import { meReadPreferencesOptions, meReadPreferencesQueryKey } from '@/api/@tanstack/react-query.gen';
import {
  preferences,
  savePreferencesBy,
  saveWorkspace,
  setPreferences,
  showPreferences,
  usePreferences,
  type Saved,
} from '@/lib/preferences/preferences';
import { PreferenceSaver } from '@/lib/preferences/preferenceSaver';
import { chosen, fromRecord, toEdit } from '@/lib/preferences/savedPreferences';
import { queries } from '@/lib/requests/queries';
import { sayFault } from '@/parts/toast';

/**
 * Preferences follow the person to every browser.
 *
 * 1. Those of the service replace the copy of this browser, also when another browser changes them.
 * 2. A change is shown at once and saved; several changes are saved one after the other, and all when the page is left.
 * 3. A person without saved preferences gets those that this browser had.
 */
export function useSavedPreferences(enabled: boolean): UseQueryResult<PreferencesRecord, Problem> {
  const saved = useQuery({ ...meReadPreferencesOptions(), enabled });
  const [saver] = useState(() => new PreferenceSaver(save));
  const { theme } = usePreferences();
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const scheme = theme === 'system' ? 'auto' : theme;

  useEffect(() => {
    if (!enabled) return;
    const leave = () => saver.leave();
    savePreferencesBy((change) => saver.take(change));
    window.addEventListener('pagehide', leave);
    return () => {
      window.removeEventListener('pagehide', leave);
      savePreferencesBy();
    };
  }, [enabled, saver]);

  const adopt = useEffectEvent((record: PreferencesRecord | undefined) => {
    if (!record || saver.isSaving) return;
    if (record.rev > 0) return showPreferences(fromRecord(record));
    const local = chosen({ ...preferences(), theme: colorScheme === 'auto' ? 'system' : colorScheme });
    if (Object.keys(local).length > 0) setPreferences(local);
  });
  useEffect(() => adopt(saved.data), [saved.data]);

  const showTheme = useEffectEvent((record: PreferencesRecord | undefined) => {
    // Before the service has answered, the theme of this browser stays.
    if (record && (record.rev > 0 || saver.isSaving) && scheme !== colorScheme) setColorScheme(scheme);
  });
  useEffect(() => showTheme(saved.data), [scheme, saved.data]);
  return saved;
}

async function save(change: Saved): Promise<void> {
  try {
    // The request outlives the page: whoever reloads it right after a choice keeps the choice.
    const { data } = await meEditPreferences({ body: toEdit(change), keepalive: true, throwOnError: true });
    queries.setQueryData(meReadPreferencesQueryKey(), data);
  } catch (fault) {
    sayFault(fault);
  }
}

/** Saves which workspace is open. A browser that knows none starts there. */
export function useSavedWorkspace(saved: PreferencesRecord | undefined, workspaceId?: WorkspaceRecord['id']): void {
  const isRead = saved !== undefined;
  const saveOpened = useEffectEvent(() => {
    if (isRead && workspaceId && saved.lastWorkspaceId !== workspaceId) saveWorkspace(workspaceId);
  });
  // Another browser may save another workspace meanwhile: each saves only what is opened in it.
  useEffect(() => saveOpened(), [isRead, workspaceId]);
}
