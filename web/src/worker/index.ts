import { scope } from '@/worker/scope';
import { activate, answer, install } from '@/worker/shell';

/** The service worker: the app starts without a connection. */
scope.addEventListener('install', (event) => event.waitUntil(install()));
scope.addEventListener('activate', (event) => event.waitUntil(activate()));
scope.addEventListener('fetch', (event) => {
  const found = answer(event.request);
  if (found) event.respondWith(found);
});
