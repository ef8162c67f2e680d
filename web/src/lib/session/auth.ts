import { authLogout, devicesList, devicesRefresh, devicesRemove, type DeviceRecord } from '@/api';
import { endSubscription, pushFault, subscribe } from '@/lib/device/push';
import { forgetDevice, storedDevice, storeTokens, whenEnded } from '@/lib/device/tokens';
import { load, ownName } from '@/lib/navigation/base';
import { dropCopy } from '@/lib/offline/copy';
import { actAs, auth } from '@/lib/session/identity';

type Badging = { setAppBadge?: (count: number) => Promise<void>; clearAppBadge?: () => Promise<void> };

const TRIED = ownName('inbox-hand-off');

/** Returns whether the app was started from the home screen. */
export function isInstalled(): boolean {
  const ofApple = (navigator as Navigator & { standalone?: boolean }).standalone === true;
  return ofApple || matchMedia('(display-mode: standalone)').matches;
}

/**
 * Finds out who this browser acts as, before the first page is shown.
 *
 * 1. A stored device counts. Without storage there is none.
 * 2. An installed app asks once for the device that the browser paired for it: that is what the hand-off cookie is for.
 */
export async function startAuth(): Promise<void> {
  whenEnded(() => void leave('/pair?ended'));
  try {
    const device = await storedDevice();
    if (device) actAs({ kind: 'device', id: device.id as DeviceRecord['id'] });
    else if (isInstalled() && localStorage.getItem(TRIED) === null) await takeOver();
  } catch {
    // Without IndexedDB this browser has sessions only.
  }
}

/** Renews the subscription of a device that wants notifications: browsers lose them without a word. */
export async function renewPush(): Promise<void> {
  if (auth().kind !== 'device' || pushFault() !== null || Notification.permission !== 'granted') return;
  const { data } = await devicesList({ query: { limit: 200 } });
  const own = data?.items.find((device) => device.current);
  if (!own || own.push.state === 'none') return;
  const registration = await navigator.serviceWorker.ready;
  await subscribe(registration, {}, own.push.state === 'lost');
}

/** Returns whether this browser shows the app with its icon. */
export function hasBadge(): boolean {
  return auth().kind === 'device' || isInstalled();
}

/** The number on the icon of an installed app. */
export function setBadge(count: number): void {
  (navigator as Badging).setAppBadge?.(count).catch(() => undefined);
}

async function takeOver(): Promise<void> {
  const { data, response } = await devicesRefresh({ body: {} });
  if (data) await becomeDevice(data);
  if (response?.status === 401 || data) localStorage.setItem(TRIED, 'yes');
}

/** Makes this device the sender of all later requests. */
export async function becomeDevice(tokens: Parameters<typeof storeTokens>[0]): Promise<void> {
  await storeTokens(tokens);
  actAs({ kind: 'device', id: tokens.deviceId as DeviceRecord['id'] });
}

/** Signs out: a device is unpaired. What this browser keeps of the account is removed. */
export async function signOut(): Promise<void> {
  const current = auth();
  if (current.kind === 'device') {
    await devicesRemove({ path: { device_id: current.id }, throwOnError: true });
    await endSubscription().catch(() => undefined);
    await forgetDevice();
  } else await authLogout({ throwOnError: true });
  await leave('/login');
}

/** The account has no access here any more: nothing of it stays. */
export async function leave(next: string): Promise<void> {
  await dropCopy();
  await (navigator as Badging).clearAppBadge?.().catch(() => undefined);
  load(next);
}
