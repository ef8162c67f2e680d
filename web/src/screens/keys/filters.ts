import type { KeyRecord } from '@/api';
import { isOver } from '@/parts/KeyState';

const DAY = 86_400_000;
const UNUSED_DAYS = 90;
const OLD_DAYS = 365;

export type Filter = { name: string; label: string; has: (key: KeyRecord, now: number) => boolean };

/** Returns whether requests with the key are accepted. */
export function isLive(key: KeyRecord): boolean {
  return key.revokedAt === null && !isOver(key);
}

function isUnused(key: KeyRecord, now: number): boolean {
  return isLive(key) && now - Date.parse(key.lastUsedAt ?? key.createdAt) > UNUSED_DAYS * DAY;
}

export const FILTERS: readonly Filter[] = [
  { name: 'live', label: 'Accepted', has: isLive },
  { name: 'unused', label: `Unused for ${UNUSED_DAYS} days`, has: isUnused },
  {
    name: 'old',
    label: 'Older than a year',
    has: (key, now) => isLive(key) && now - Date.parse(key.createdAt) > OLD_DAYS * DAY,
  },
  { name: 'grace', label: 'Rotated, still accepted', has: (key) => isLive(key) && key.graceEndsAt !== null },
  { name: 'ended', label: 'Revoked or ended', has: (key) => !isLive(key) },
];

/** The keys of each source, in the order of the list. */
export function bySource(keys: readonly KeyRecord[]): [KeyRecord['sourceId'], KeyRecord[]][] {
  const groups = new Map<KeyRecord['sourceId'], KeyRecord[]>();
  for (const key of keys) groups.set(key.sourceId, [...(groups.get(key.sourceId) ?? []), key]);
  return [...groups];
}
