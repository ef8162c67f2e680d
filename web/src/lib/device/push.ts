import { fetchAsDevice } from '@/lib/device/tokens';
import { below } from '@/lib/navigation/base';
import { Told } from '@/lib/requests/faults';

/** The notifications that a device requests. Missing members stay unchanged. */
type OfWorkspace = { workspaceId: string; minSeverity: string | null; alerts?: 'all' | 'on_call' };
export type Choice = { hideContent?: boolean; workspaces?: OfWorkspace[] };

/** Why a browser cannot be notified. On iOS only an installed app can. */
export function pushFault(): string | null {
  if (!('serviceWorker' in navigator) || !('PushManager' in globalThis) || !('Notification' in globalThis))
    return 'This browser does not support notifications. On iOS, open the app from the Home Screen.';
  if (Notification.permission === 'denied')
    return 'Notifications for this app are blocked in the settings of this phone.';
  return null;
}

/**
 * Subscribes this browser at its push service, and reports it to the server. A subscription that was lost is replaced.
 * The worker calls it, too, so that it uses nothing of a page.
 */
export async function subscribe(
  registration: ServiceWorkerRegistration,
  choice: Choice,
  isLost = false,
): Promise<Response> {
  const answer = await fetchAsDevice(new Request(below('/v1/devices/push-key')));
  if (!answer.ok) return answer;
  const { publicKey } = (await answer.json()) as { publicKey: string };
  if (isLost) await (await registration.pushManager.getSubscription())?.unsubscribe();
  const subscription =
    (await registration.pushManager.getSubscription()) ?? (await subscriptionAt(registration, publicKey));
  const { endpoint, keys } = subscription.toJSON();
  return fetchAsDevice(
    new Request(below('/v1/devices/current/push-subscription'), {
      method: 'PUT',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ endpoint, keys: { p256dh: keys?.p256dh, auth: keys?.auth }, ...choice }),
    }),
  );
}

async function subscriptionAt(registration: ServiceWorkerRegistration, publicKey: string): Promise<PushSubscription> {
  try {
    return await registration.pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: publicKey });
  } catch (fault) {
    const cause = fault instanceof Error ? fault.message : String(fault);
    throw new Told(`Your browser's push service refused the subscription: ${cause}`, { cause: fault });
  }
}

/** Ends the subscription at the push service. */
export async function endSubscription(): Promise<void> {
  if (!('serviceWorker' in navigator)) return;
  const registration = await navigator.serviceWorker.getRegistration();
  await (await registration?.pushManager?.getSubscription())?.unsubscribe();
}
