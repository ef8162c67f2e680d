import type { DeviceRecord } from '@/api';

/** The identity of this browser: the session of its cookie, or the paired device. */
export type Auth = { kind: 'session' } | { kind: 'device'; id: DeviceRecord['id'] };

let current: Auth = { kind: 'session' };

export function auth(): Auth {
  return current;
}

/** Sets who the requests of this page act as. */
export function actAs(next: Auth): void {
  current = next;
}
