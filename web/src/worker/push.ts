import { subscribe } from '@/lib/device/push';
import { fetchAsDevice } from '@/lib/device/tokens';
import { below } from '@/lib/navigation/base';
import { type NotificationEvent, type PushEvent, scope } from '@/worker/scope';

/** The declarative form of a message. Safari shows it without this worker. */
type Message = {
  notification: {
    title: string;
    body: string;
    navigate: string;
    tag: string;
    silent: boolean;
    data: { incidentId: string; reason: string; state: string };
  };
};
type Target = { navigate: string; incidentId: string };

const CLEARING = ['acknowledged', 'resolved'];
const ACKNOWLEDGE = 'acknowledge';

/** A system that ends subscriptions whose messages show nothing. */
function mustShow(): boolean {
  return /iPhone|iPad|Macintosh.*Safari/.test(scope.navigator.userAgent) && !/Chrome/.test(scope.navigator.userAgent);
}

/**
 * One notification for each incident.
 *
 * 1. A newer message replaces the older one, with a sound only when somebody should react.
 * 2. After somebody acknowledged or resolved it, the notification is removed. Where each message must show something, it says so.
 * 3. The badge of the app is the number of open incidents.
 */
export async function showPush(event: PushEvent): Promise<void> {
  const { notification } = event.data?.json() as Message;
  const { data, tag } = notification;
  if (CLEARING.includes(data.reason) && !mustShow()) {
    (await scope.registration.getNotifications({ tag })).forEach((each) => each.close());
  } else {
    const canAct = data.incidentId !== '' && data.state === 'open';
    const options = {
      body: notification.body,
      tag,
      silent: notification.silent,
      renotify: !notification.silent,
      icon: below('/icons/icon-192.png'),
      badge: below('/icons/badge-96.png'),
      data: { navigate: notification.navigate, incidentId: data.incidentId } satisfies Target,
      actions: canAct ? [{ action: ACKNOWLEDGE, title: 'Acknowledge' }] : [],
    };
    await scope.registration.showNotification(notification.title, options);
  }
  await setBadge().catch(() => undefined);
}

async function setBadge(): Promise<void> {
  if (!scope.navigator.setAppBadge) return;
  const answer = await fetchAsDevice(new Request(below('/v1/incidents/counts')));
  if (!answer.ok) return;
  const counts = (await answer.json()) as { byState: { open?: number } };
  await scope.navigator.setAppBadge(counts.byState.open ?? 0);
}

/** The button acknowledges without opening the app. A tap anywhere else opens the incident. */
export async function onClick(event: NotificationEvent): Promise<void> {
  const { notification, action } = event;
  const { navigate, incidentId } = notification.data as Target;
  notification.close();
  if (action !== ACKNOWLEDGE) return openPage(navigate);
  const path = below(`/v1/incidents/${incidentId}/acknowledge`);
  const done = await fetchAsDevice(new Request(path, { method: 'POST' })).then(
    (answer) => answer.ok,
    () => false,
  );
  if (done) return setBadge().catch(() => undefined);
  await scope.registration.showNotification('Not acknowledged', {
    body: `${notification.title}. Open the app to try again.`,
    tag: notification.tag,
    icon: below('/icons/icon-192.png'),
    data: { navigate, incidentId } satisfies Target,
  });
}

async function openPage(address: string): Promise<void> {
  if (new URL(address).origin !== scope.location.origin) return;
  const [client] = await scope.clients.matchAll({ type: 'window', includeUncontrolled: false });
  if (client === undefined) await scope.clients.openWindow(address);
  else {
    await client.navigate(address);
    await client.focus();
  }
}

/** The push service replaced the subscription. The next start of the app does the same, where this event never comes. */
export async function onSubscriptionChange(): Promise<void> {
  await subscribe(scope.registration, {}, true);
}
