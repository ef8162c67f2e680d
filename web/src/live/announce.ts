import { navigate } from 'wouter/use-browser-location';
import { incidentsRead, type IncidentRecord } from '@/api';
import { below } from '@/lib/navigation/base';
import { preferences } from '@/lib/preferences/preferences';
import { playSound } from '@/lib/preferences/sound';
import { queries } from '@/lib/requests/queries';
import { myWorkspaces } from '@/lib/requests/start';
import { SEVERITY_WORD } from '@/lib/words/words';
import { type Announcement, NewIncidents } from '@/live/newIncidents';

const SHOWN_TITLES = 3;

/** New incidents as the person chose in the account: a notification of the system, a sound, both or none. */
export function announcer(): NewIncidents {
  return new NewIncidents({
    isWanted: () => wantsNotices(),
    read: async (id) => (await incidentsRead({ path: { incident_id: id }, throwOnError: true })).data,
    isQuiet,
    announce: (announcement) => {
      if (preferences().sound) playSound();
      if (preferences().desktopNotices && noticePermission() === 'granted') notify(announcement);
    },
  });
}

/** Returns whether a hidden page has to follow the stream. */
export function wantsNotices(): boolean {
  const { desktopNotices, sound } = preferences();
  return sound || (desktopNotices && noticePermission() === 'granted');
}

/** The permission of this browser. An address that is neither https nor local has no notifications. */
export function noticePermission(): NotificationPermission | 'unsupported' {
  return 'Notification' in window ? Notification.permission : 'unsupported';
}

function isQuiet(workspaceId: string): boolean {
  const workspaces = queries.getQueryData(myWorkspaces().queryKey);
  return workspaces?.items.find(({ id }) => id === workspaceId)?.quiet.now ?? false;
}

function notify({ incidents, count }: Announcement): void {
  const [first] = incidents;
  if (!first) return;
  const path = new URL(first.url).pathname;
  if (count === 1) show(titleOf(first), bodyOf(first), first.id, path);
  else
    show(`${count} new incidents`, listOf(incidents), 'new-incidents', path.replace(/\/incidents\/[^/]*$/, '/inbox'));
}

function show(title: string, body: string, tag: string, path: string): void {
  try {
    const notice = new Notification(title, { body, tag, icon: below('/icons/icon-192.png'), silent: true });
    notice.onclick = () => {
      window.focus();
      navigate(path);
      notice.close();
    };
  } catch {
    // Chrome on Android has notifications of service workers alone. A paired phone is notified by push.
  }
}

function titleOf({ severity, title }: IncidentRecord): string {
  return `${SEVERITY_WORD[severity]}: ${title}`;
}

function bodyOf({ sourceName, resource }: IncidentRecord): string {
  return resource ? `${sourceName}, ${resource}` : sourceName;
}

function listOf(incidents: IncidentRecord[]): string {
  return incidents.slice(0, SHOWN_TITLES).map(titleOf).join('\n');
}
