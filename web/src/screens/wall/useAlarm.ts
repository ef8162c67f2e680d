import { useEffect, useRef, useState } from 'react';
import type { WallIncident } from '@/api';
import { playSound } from '@/lib/preferences/sound';

const FLASH_MS = 6000;

/** Whether a critical incident has just opened: the screen flashes for some seconds, with a sound where the browser allows one. */
export function useAlarm(incidents: readonly WallIncident[] | undefined): boolean {
  const known = useRef<Set<string> | null>(null);
  const [isOn, setOn] = useState(false);
  const critical = incidents?.filter((each) => each.severity === 'CRITICAL' && each.state === 'open');
  const ids = critical?.map((each) => `${each.id} ${each.reopenCount}`).join();
  useEffect(() => {
    if (ids === undefined) return;
    const now = new Set(ids.split(',').filter(Boolean));
    const before = known.current;
    known.current = new Set([...(before ?? []), ...now]);
    if (before === null || [...now].every((id) => before.has(id))) return;
    setOn(true);
    playSound();
  }, [ids]);
  useEffect(() => {
    if (!isOn) return;
    const timer = setTimeout(() => setOn(false), FLASH_MS);
    return () => clearTimeout(timer);
  }, [isOn]);
  return isOn;
}
