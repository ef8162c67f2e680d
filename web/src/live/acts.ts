import {
  incidentsBulk,
  incidentsEscalate,
  incidentsUndo,
  type BulkRequest,
  type BulkResult,
  type IncidentRecord,
  type UndoRequest,
} from '@/api';
import type { Act } from '@/lib/incidents/act';
import { queries } from '@/lib/requests/queries';
import { refresh } from '@/lib/requests/refresh';
import { counted } from '@/lib/words/words';
import { say, sayFault, sayWithUndo } from '@/parts/toast';
import { isOffline } from '@/live/online';

type Result = { results: BulkResult[]; undoId: UndoRequest['undoId'] | null };

/** The largest number of incidents that one act changes. */
export const MAX_INCIDENTS = 500;

const DONE: Record<BulkRequest['action'], string> = {
  acknowledge: 'acknowledged',
  unacknowledge: 'unacknowledged',
  snooze: 'snoozed',
  unsnooze: 'unsnoozed',
  resolve: 'resolved',
  reopen: 'reopened',
  assign: 'assigned',
  tag: 'tagged',
  untag: 'untagged',
  notify: 'notified',
  take: 'taken',
};
const AHEAD: Partial<Record<BulkRequest['action'], IncidentRecord['state']>> = {
  acknowledge: 'acknowledged',
  take: 'acknowledged',
  unacknowledge: 'open',
  snooze: 'snoozed',
  unsnooze: 'open',
};

/**
 * Does an act on one or many incidents.
 *
 * 1. What can be undone cheaply is shown at once; resolving waits for the answer.
 * 2. The answer replaces what was shown; what was refused is put back and said.
 * 3. A toast offers to undo it, while the service can.
 *
 * Answers whether it was done with at least one of them.
 */
export async function perform(incidents: readonly IncidentRecord[], act: Act): Promise<boolean> {
  if (incidents.length === 0 || saysOffline()) return false;
  let isDone = false;
  const ahead = AHEAD[act.action];
  if (ahead) incidents.forEach((each) => patch({ ...each, state: ahead, snoozedUntil: act.until ?? null }));
  try {
    const { data } = await incidentsBulk({
      body: { ids: incidents.map((each) => each.id), ...act },
      throwOnError: true,
    });
    data.results.forEach((each) => {
      const before = incidents.find((incident) => incident.id === each.id);
      if (each.incident) patch(each.incident);
      else if (before) patch(before);
    });
    isDone = report(data as Result, act, incidents.length === 1);
  } catch (fault) {
    incidents.forEach(patch);
    sayFault(fault);
  }
  refreshIncidents();
  return isDone;
}

/**
 * Does an act on all incidents that pass a filter, where their number is still the expected one. Answers whether it was done
 * with at least one of them.
 */
export async function performMatching(
  filter: NonNullable<BulkRequest['filter']>,
  expectedCount: number,
  act: Act,
): Promise<boolean> {
  if (saysOffline()) return false;
  let isDone = false;
  try {
    const { data } = await incidentsBulk({ body: { filter, expectedCount, ...act }, throwOnError: true });
    data.results.forEach((each) => each.incident && patch(each.incident));
    isDone = report(data as Result, act, false);
  } catch (fault) {
    sayFault(fault);
  }
  refreshIncidents();
  return isDone;
}

/** Returns whether the connection is lost, and shows a message then. */
function saysOffline(): boolean {
  if (isOffline()) say('You are offline. Nothing was sent. Try again when you are connected.');
  return isOffline();
}

/** Says what was done, with an offer to undo it, and what was refused. Answers whether something was done. */
function report({ results, undoId }: Result, act: Act, isOne: boolean): boolean {
  const refused = refusedOf(results);
  const done = results.length - refused.length;
  const subject = done === 1 && isOne ? 'Incident' : counted(done, 'incident');
  const text = [done > 0 && `${subject} ${DONE[act.action]}`, refusedText(refused)].filter(Boolean).join('. ');
  if (done > 0 && undoId) sayWithUndo(text, () => void undo(undoId));
  else if (text) say(text);
  return done > 0;
}

function refusedOf(results: readonly BulkResult[]): BulkResult[] {
  return results.filter((each) => each.status >= 400);
}

function refusedText(refused: readonly BulkResult[]): string {
  if (refused.length === 0) return '';
  const why = refused[0]?.detail ?? 'the action is not possible in their state.';
  return `${counted(refused.length, 'incident')} unchanged: ${why}`;
}

async function undo(undoId: UndoRequest['undoId']): Promise<void> {
  try {
    const { data } = await incidentsUndo({ body: { undoId }, throwOnError: true });
    data.results.forEach((each) => each.incident && patch(each.incident));
    const refused = refusedOf(data.results);
    const undone = data.results.length - refused.length;
    const done = undone > 0 && (refused.length > 0 ? `${counted(undone, 'incident')} undone` : 'Undone');
    say([done, refusedText(refused)].filter(Boolean).join('. '));
  } catch (fault) {
    sayFault(fault);
  }
  refreshIncidents();
}

/** Takes the next step of the routing profile now. */
export async function escalateNow({ id }: IncidentRecord): Promise<void> {
  if (saysOffline()) return;
  try {
    await incidentsEscalate({ path: { incident_id: id }, body: {}, throwOnError: true });
    say('Escalated to the next step');
  } catch (fault) {
    sayFault(fault);
  }
  refreshIncidents();
}

type Pages = { pages: { items: IncidentRecord[] }[] };

/** Puts a record wherever the cache holds that incident. */
function patch(record: IncidentRecord): void {
  queries.setQueriesData<IncidentRecord | Pages>(
    { predicate: ({ queryKey }) => isOf(queryKey, 'incidentsList', 'incidentsRead') },
    (old) => {
      if (old === undefined) return old;
      if (!('pages' in old)) return old.id === record.id ? { ...old, ...record } : old;
      return {
        ...old,
        pages: old.pages.map((page) => ({
          ...page,
          items: page.items.map((each) => (each.id === record.id ? { ...each, ...record } : each)),
        })),
      };
    },
  );
}

/** The stream says the same a moment later; this holds without a stream, too. */
export function refreshIncidents(): void {
  void refresh(
    'incidentsList',
    'incidentsCounts',
    'incidentsFacets',
    'incidentsRead',
    'incidentsTimeline',
    'incidentsExplain',
    'incidentsNotices',
    'incidentsPages',
  ).catch(() => undefined);
}

function isOf(queryKey: readonly unknown[], ...operations: string[]): boolean {
  const [key] = queryKey as [{ _id?: string }?];
  return key?._id !== undefined && operations.includes(key._id);
}
