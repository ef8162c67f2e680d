import { oidcStart } from '@/api';
import { ownName, within } from '@/lib/navigation/base';

/** The page to which a provider returns in its window. */
export const PROVED = 'proved';
const CHANNEL = ownName('inbox-proof');
const WINDOW = 'popup,width=520,height=720';

/** Only a path of our own: never another host, and never a scheme. */
export function safePath(next: string | null): string {
  if (next === null) return '/';
  const address = new URL(next, location.origin);
  return next.startsWith('/') && address.origin === location.origin
    ? address.pathname + address.search + address.hash
    : '/';
}

/** Leaves this page for an identity provider, which leads back to `returnTo`. */
export async function goToProvider(id: string, purpose: 'sign-in' | 'step-up' | 'link', returnTo: string) {
  const { data } = await oidcStart({
    path: { provider_id: id },
    body: { purpose, returnTo },
    throwOnError: true,
  });
  location.assign(data.authorizeUrl);
}

/**
 * Opens an identity provider in a window of its own, so that the open page stays as it is. The window says so when the
 * provider has let the person in (`whenProved`). A browser that opens no window leaves the page, and returns to it.
 */
export async function openProvider(id: string, purpose: 'sign-in' | 'step-up'): Promise<void> {
  // Within the press of the button: browsers open no window later.
  const opened = window.open('about:blank', '_blank', WINDOW);
  if (opened === null) return goToProvider(id, purpose, (within(location.pathname) ?? '/') + location.search);
  try {
    const { data } = await oidcStart({
      path: { provider_id: id },
      body: { purpose, returnTo: `/login?${PROVED}=` },
      throwOnError: true,
    });
    opened.location.replace(data.authorizeUrl);
  } catch (fault) {
    opened.close();
    throw fault;
  }
}

/** Notifies the page that opened this window. The window then closes, where the browser lets it. */
export function announceProof(): void {
  const channel = new BroadcastChannel(CHANNEL);
  channel.postMessage(PROVED);
  channel.close();
  window.close();
}

/** Calls `act` once a window of `openProvider` was successful; answers how to stop waiting. */
export function whenProved(act: () => void): () => void {
  const channel = new BroadcastChannel(CHANNEL);
  channel.onmessage = act;
  return () => channel.close();
}
