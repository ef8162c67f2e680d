import type { Query, QueryClient } from '@tanstack/react-query';
import { reread } from '@/lib/requests/reread';
import { type Reference, STALE, type Stale } from '@/live/table';

const COALESCE = 50;
const START = 5000;
/** What the start of the page has just read, and the names beside a list: the first `resync` reads it when the page is shown. */
const PARTS = [
  'infoRead',
  'meRead',
  'meReadPreferences',
  'workspacesList',
  'incidentsCounts',
  'adminSystem',
  'sourcesList',
  'viewsList',
];
const RESYNC_EVERY = 5000;
const RESYNC_SPREAD = 500;
/** A burst alone makes the spread of a `resync` at most so long. A longer one says that many dashboards receive it. */
const SPREAD_OF_FEW = 5000;
const SPREADS_PER_READ = 4;
const IDLE_PER_READ = 10;
const LONGEST_PAUSE = 15_000;
/** The key of the read of everything. It counts as a read of each list. */
const ALL = 'resync';

/**
 * Turns references into refetches: one for many references, not more often than the table says, and spread at random so that
 * many dashboards do not ask at the same moment. A resync marks everything stale, at most once in five seconds. One that names
 * types is like a reference of each of them to all records. Many dashboards take four spreads for a resync.
 *
 * A reference that many receive has a spread: the time in which all of them can read once. During continuous changes each
 * reads once in four spreads, so that the server has most of its time for events.
 *
 * A slow read says that the server is busy. The next one then begins ten times as long after it as it took: many open
 * dashboards read as often as the server can answer, and no read waits behind those of others.
 */
export class Refetcher {
  private readonly queries: QueryClient;
  private readonly due = new Map<string, ReturnType<typeof setTimeout>>();
  private readonly last = new Map<string, number>();
  private readonly took = new Map<string, number>();
  private readonly afterRead = new Map<string, () => void>();
  private readonly began = Date.now();

  constructor(queries: QueryClient) {
    this.queries = queries;
  }

  take(reference: Reference): void {
    if (reference.type === 'resync') {
      this.resync(reference);
      return;
    }
    const spread = (reference.spreadSeconds ?? 0) * 1000;
    const delay = COALESCE + Math.random() * Math.max(COALESCE, spread);
    for (const stale of STALE[reference.type] ?? []) {
      const id = stale.of ? reference[stale.of] : undefined;
      const every = Math.max(stale.every, SPREADS_PER_READ * spread);
      this.schedule(`${stale.operation} ${id ?? ''}`, delay, every, (query) => concerns(query, stale, id));
    }
  }

  private resync({ types, spreadSeconds }: Reference): void {
    const spread = spreadSeconds ? spreadSeconds * 1000 : RESYNC_SPREAD;
    const delay = Math.random() * spread;
    const pause = spread > SPREAD_OF_FEW ? SPREADS_PER_READ * spread : 0;
    if (types === undefined) {
      const ofStart = Math.max(delay, this.began + START - Date.now());
      this.schedule('start', ofStart, Math.max(RESYNC_EVERY, pause), isOfStart);
      this.schedule(ALL, delay, Math.max(RESYNC_EVERY, pause), (query) => !isOfStart(query));
      return;
    }
    for (const stale of types.flatMap((type) => STALE[type] ?? [])) {
      const every = Math.max(stale.every, pause);
      this.schedule(`${stale.operation} `, delay, every, (query) => concerns(query, stale, undefined));
    }
  }

  stop(): void {
    this.due.forEach(clearTimeout);
    this.due.clear();
    this.afterRead.clear();
  }

  private schedule(key: string, delay: number, every: number, predicate: (query: Query) => boolean): void {
    if (this.due.has(key)) return;
    if (this.afterRead.has(key)) {
      this.afterRead.set(key, () => {
        this.schedule(key, delay, every, predicate);
      });
      return;
    }
    const pause = Math.max(every, Math.min(IDLE_PER_READ * (this.took.get(key) ?? 0), LONGEST_PAUSE));
    const last = Math.max(this.last.get(key) ?? 0, this.last.get(ALL) ?? 0);
    const wait = Math.max(delay, last + pause - Date.now());
    this.due.set(
      key,
      setTimeout(() => void this.read(key, predicate), wait),
    );
  }

  private async read(key: string, predicate: (query: Query) => boolean): Promise<void> {
    const began = Date.now();
    this.due.delete(key);
    this.last.set(key, began);
    this.afterRead.set(key, () => undefined);
    const refetchType = document.visibilityState === 'hidden' ? 'none' : 'active';
    await reread(this.queries, predicate, refetchType).catch(() => undefined);
    this.took.set(key, Date.now() - began);
    const next = this.afterRead.get(key);
    this.afterRead.delete(key);
    next?.();
  }
}

function isOfStart(query: Pick<Query, 'queryKey'>): boolean {
  const [key] = query.queryKey as [{ _id?: string }?];
  return PARTS.includes(key?._id ?? '');
}

/** Returns whether a query reads the named record. A reference without an id concerns all records. */
export function concerns(query: Pick<Query, 'queryKey'>, stale: Stale, id: string | undefined): boolean {
  const [key] = query.queryKey as [{ _id?: string; path?: Record<string, string> }?];
  if (key?._id !== stale.operation) return false;
  return id === undefined || !key.path || Object.values(key.path).includes(id);
}
