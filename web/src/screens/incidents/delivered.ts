import type { NoticeDecision, NoticeRecord } from '@/api';

/** Causes for which nobody is notified on purpose, or otherwise than by a delivery. */
const ON_PURPOSE: readonly NoticeDecision['cause'][] = ['silenced', 'flapping', 'mailed', 'quiet_hours', 'digest'];
/** Acts of people and recoveries notify only earlier recipients, so a notice to nobody is no fault. */
const UPDATES: readonly NoticeRecord['reason'][] = ['acknowledged', 'snoozed', 'updated', 'resolved', 'flapping'];
const FINAL: readonly (NoticeDecision['status'] | undefined)[] = ['sent', 'failed', 'skipped', 'expired', 'gathered'];
const DEAD: readonly (NoticeDecision['status'] | undefined)[] = ['failed', 'skipped', 'expired'];

/** The status of a decision by now. A gathered notice has the status of its digest, and a replay counts. */
export function statusOf(decision: NoticeDecision): NoticeDecision['status'] {
  if (decision.deliveries.some((each) => each.status === 'sent')) return 'sent';
  if (decision.status === 'gathered') return decision.deliveries[0]?.digest?.status ?? 'sent';
  return decision.deliveries.at(-1)?.status ?? decision.status;
}

/** The number of destinations that got the notice, of all intended ones. `failing`: what the last of three failed attempts met. */
export type Delivered = { sent: number; all: number; nobody: boolean; failing: string | null };

/** As many failed attempts as the service waits for before it says so of the incident. */
const FAILED_ATTEMPTS = 3;

export function delivered({ reason, decisions }: Pick<NoticeRecord, 'reason' | 'decisions'>): Delivered {
  const withDeliveries = decisions.filter((each) => each.deliveries.length > 0);
  const statuses = withDeliveries.map(statusOf);
  const isUpdate = UPDATES.includes(reason);
  const isOnPurpose = isUpdate || decisions.some((each) => ON_PURPOSE.includes(each.cause));
  return {
    sent: statuses.filter((each) => each === 'sent').length,
    all: withDeliveries.length,
    failing: withDeliveries.map(failureOf).find((each) => each !== null) ?? null,
    nobody: !isOnPurpose && statuses.every((each) => DEAD.includes(each ?? undefined)),
  };
}

function failureOf({ deliveries }: NoticeDecision): string | null {
  const { status, attempts } = deliveries.at(-1)!;
  if (status !== 'retrying' || attempts.length < FAILED_ATTEMPTS) return null;
  const { statusCode, error } = attempts.at(-1)!;
  return statusCode === null ? (error ?? 'no response').replaceAll('_', ' ') : String(statusCode);
}

/** "2 of 3 delivered"; "No one notified" where no destination can still get it; nothing where nobody was to get it. */
export function deliveredText({ sent, all, nobody, failing }: Delivered): string {
  if (nobody) return 'No one notified';
  if (failing !== null)
    return sent === 0 ? `Not delivered yet (${failing})` : `${sent} of ${all} delivered (${failing})`;
  return all === 0 ? '' : `${sent} of ${all} delivered`;
}

/** The delivery that can be sent again: the newest one of the decision, once it is finished. */
export function resendable(decision: NoticeDecision): NoticeDecision['deliveries'][number] | undefined {
  const last = decision.deliveries.at(-1);
  return last && FINAL.includes(last.status) && !last.destination.deleted ? last : undefined;
}

/** Destinations that a notice is not meant for: other routes, other steps. */
const ELSEWHERE: readonly NoticeDecision['cause'][] = ['not_routed', 'not_addressed'];

/** The recipients and the real refusals first; the other destinations of the workspace apart. */
export function meant(decisions: readonly NoticeDecision[]): { meant: NoticeDecision[]; elsewhere: NoticeDecision[] } {
  const isElsewhere = (each: NoticeDecision) => ELSEWHERE.includes(each.cause);
  return {
    meant: decisions.filter((each) => !isElsewhere(each)),
    elsewhere: decisions.filter(isElsewhere),
  };
}

/** Who got a notice, who waits for it, and who does not get it, by name. */
export type Reached = { sent: string[]; waiting: string[]; lost: string[]; failing: boolean; nobody: boolean };

export function reached(notice: Pick<NoticeRecord, 'reason' | 'decisions'>): Reached {
  const { nobody, failing } = delivered(notice);
  const intended = notice.decisions.filter((each) => each.deliveries.length > 0 || each.cause === 'mailed');
  const names = (fits: (status: NoticeDecision['status']) => boolean) =>
    intended.filter((each) => fits(each.cause === 'mailed' ? 'sent' : statusOf(each))).map((each) => each.name);
  return {
    sent: names((status) => status === 'sent'),
    waiting: names((status) => status !== 'sent' && !DEAD.includes(status)),
    lost: names((status) => DEAD.includes(status)),
    failing: failing !== null,
    nobody,
  };
}
