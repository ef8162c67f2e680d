import { useSyncExternalStore } from 'react';
import { below } from '@/lib/navigation/base';

/** The event with which Chromium offers a dialog that installs the app, instead of a menu entry. */
type Offer = Event & { prompt: () => Promise<{ outcome: 'accepted' | 'dismissed' }> };

let offer: Offer | null = null;
const listeners = new Set<() => void>();

/** Keeps the offer of the browser until somebody asks to install. */
export function catchInstallOffer(): void {
  const put = (next: Offer | null) => {
    offer = next;
    listeners.forEach((listener) => listener());
  };
  window.addEventListener('beforeinstallprompt', (event) => {
    event.preventDefault();
    put(event as Offer);
  });
  window.addEventListener('appinstalled', () => put(null));
}

/** Shows the dialog of the browser; null while the browser offers none. */
export function useInstallOffer(): (() => void) | null {
  const found = useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => offer,
  );
  return found ? () => void found.prompt() : null;
}

/** The service worker keeps the app ready without a connection. The dev server has none. */
export function registerWorker(): void {
  if (!import.meta.env.PROD || !('serviceWorker' in navigator)) return;
  navigator.serviceWorker.register(below('/sw.js'), { updateViaCache: 'none' }).catch(() => undefined);
}
