import { onClick, onSubscriptionChange, showPush } from '@/worker/push';
import { scope } from '@/worker/scope';
import { activate, answer, install } from '@/worker/shell';

/** The service worker: the app starts without a connection, and shows notifications. */
scope.addEventListener('install', (event) => event.waitUntil(install()));
scope.addEventListener('activate', (event) => event.waitUntil(activate()));
scope.addEventListener('fetch', (event) => {
  const found = answer(event.request);
  if (found) event.respondWith(found);
});
scope.addEventListener('push', (event) => event.waitUntil(showPush(event)));
scope.addEventListener('notificationclick', (event) => event.waitUntil(onClick(event)));
scope.addEventListener('pushsubscriptionchange', (event) => event.waitUntil(onSubscriptionChange()));
