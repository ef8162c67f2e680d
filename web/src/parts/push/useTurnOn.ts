import type { DeviceRecord } from '@/api';
import { type Choice, subscribe } from '@/lib/device/push';
import { refresh } from '@/lib/requests/refresh';
import { say } from '@/parts/toast';
import { useAttempt } from '@/parts/useAttempt';

/** Asks the browser for the permission, subscribes it and tells the service. `busy` names the change that runs. */
export function useTurnOn({ push }: Pick<DeviceRecord, 'push'>) {
  const { busy, attempt } = useAttempt();
  const change = (name: string, choice: Choice) =>
    attempt(name, async () => {
      const permission = await Notification.requestPermission();
      if (permission !== 'granted') return say('Notifications stay off: the phone did not allow them.');
      const registration = await navigator.serviceWorker.ready;
      const answer = await subscribe(registration, choice, push.state === 'lost');
      if (!answer.ok) throw await answer.json();
      await refresh('devicesList');
    });
  return { busy, attempt, change };
}
