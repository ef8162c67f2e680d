import { below, ownName, within } from '@/lib/navigation/base';
import { scope } from '@/worker/scope';

/** Names of built files, and the hash over them. The build puts both here. */
declare const SHELL_FILES: readonly string[];
declare const SHELL_VERSION: string;

const CACHES = ownName('shell-');
const CACHE = CACHES + SHELL_VERSION;
const DOCUMENT = below('/');
const WAIT = 3000;
const HASHED = /^\/assets\/[\w.-]+-[\w-]{8}\.\w+$/;
const PAGES =
  /^\/($|w\/|account($|\/)|admin($|\/)|(login|pair|welcome|docs|invite|forgot|reset|signup|verify-email|email-change)$)/;

/** The files that the first screens need, and the document. Old versions are removed when this one takes over. */
export async function install(): Promise<void> {
  const cache = await caches.open(CACHE);
  await cache.addAll(SHELL_FILES.map(below));
  await remember(await fetch(DOCUMENT, { credentials: 'omit', cache: 'no-store' }));
  await scope.skipWaiting();
}

export async function activate(): Promise<void> {
  const names = await caches.keys();
  await Promise.all(
    names.filter((name) => name !== CACHE && name.startsWith(CACHES)).map((name) => caches.delete(name)),
  );
  await scope.clients.claim();
}

/**
 * How a request is answered; null: by the network alone, as everything under `/v1` is.
 *
 * 1. Files whose names have the hash of their content come from the cache.
 * 2. A page comes from the network; after three seconds, or without a connection, from the cache.
 */
export function answer(request: Request): Promise<Response> | null {
  const address = new URL(request.url);
  if (request.method !== 'GET' || address.origin !== scope.location.origin) return null;
  const path = within(address.pathname) ?? '';
  if (HASHED.test(path)) return file(request);
  if (request.mode === 'navigate' && PAGES.test(path)) return page(request);
  return null;
}

async function file(request: Request): Promise<Response> {
  const cache = await caches.open(CACHE);
  const cached = await cache.match(request.url);
  if (cached) return cached;
  const found = await fetch(request);
  if (found.ok) await cache.put(request.url, found.clone());
  return found;
}

async function page(request: Request): Promise<Response> {
  const online = fetch(request).then(async (found) => {
    await remember(found.clone());
    return found;
  });
  const first = await Promise.race([online.catch(() => null), pause()]);
  if (first) return first;
  const cache = await caches.open(CACHE);
  return (await cache.match(DOCUMENT)) ?? online;
}

/** The document is one for all pages. Other answers, such as the plain page of an instance without a build, are not kept. */
async function remember(found: Response): Promise<void> {
  const isDocument = found.ok && (found.headers.get('Content-Security-Policy') ?? '').includes("worker-src 'self'");
  if (isDocument && !found.redirected) await (await caches.open(CACHE)).put(DOCUMENT, found);
}

function pause(): Promise<null> {
  return new Promise((resolve) => setTimeout(() => resolve(null), WAIT));
}
