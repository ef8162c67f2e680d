/** Types that service workers have and pages lack, because the project only loads the DOM library. */
type Extendable = Event & { waitUntil: (work: Promise<unknown>) => void };
export type FetchEvent = Extendable & { request: Request; respondWith: (answer: Promise<Response>) => void };
export type PushEvent = Extendable & { data: { json: () => unknown } | null };
export type NotificationEvent = Extendable & { action: string; notification: Notification };
export type MessageEventOfWorker = Extendable & MessageEvent<unknown>;
type WindowClient = { url: string; focus: () => Promise<WindowClient>; navigate: (url: string) => Promise<unknown> };

type Events = {
  install: Extendable;
  activate: Extendable;
  fetch: FetchEvent;
  push: PushEvent;
  pushsubscriptionchange: Extendable;
  notificationclick: NotificationEvent;
  message: MessageEventOfWorker;
};

export type Scope = {
  addEventListener: <Name extends keyof Events>(name: Name, listener: (event: Events[Name]) => void) => void;
  skipWaiting: () => Promise<void>;
  clients: {
    claim: () => Promise<void>;
    matchAll: (options: { type: 'window'; includeUncontrolled: boolean }) => Promise<WindowClient[]>;
    openWindow: (url: string) => Promise<unknown>;
  };
  registration: ServiceWorkerRegistration;
  location: Location;
  navigator: Navigator & { setAppBadge?: (count: number) => Promise<void>; clearAppBadge?: () => Promise<void> };
};

export const scope = globalThis as unknown as Scope;
