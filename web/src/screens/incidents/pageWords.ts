import type { PageContact, PageRecord } from '@/api';
import { contactKind } from '@/lib/words/contactKinds';
import { clock } from '@/lib/time/time';

const ANSWER: Record<NonNullable<PageRecord['answer']>['kind'], string> = {
  acknowledged: 'Acknowledged',
  snoozed: 'Snoozed',
  resolved: 'Resolved',
};

/** What became of a page at one contact: "Phone push accepted 21:03", "Mail follows at 21:10". */
export function contactText({ kind, status, cause, dueAt, settledAt }: PageContact, now: number): string {
  const name = contactKind(kind);
  const at = settledAt === null ? '' : ` ${clock(settledAt, now)}`;
  switch (status) {
    case 'sent':
      return `${name} accepted${at}`;
    case 'pending':
      return cause === 'notification_rule' && dueAt
        ? `${name} follows at ${clock(dueAt, now)}`
        : `${name} is being sent`;
    case 'sending':
    case 'gathered':
      return `${name} is being sent`;
    case 'held':
      return `${name} waits`;
    case 'retrying':
      return `${name} not delivered yet`;
    case 'skipped':
      return cause === 'daily_limit' ? `${name} not sent: the limit of the day is reached` : `${name} no longer needed`;
    case 'failed':
    case 'expired':
      return `${name} failed${at}`;
  }
}

/** "Acknowledged 21:05", or that the person has not answered; empty for a page that reached nobody. */
export function answerText({ answer, cause }: Pick<PageRecord, 'answer' | 'cause'>, now: number): string {
  if (cause !== null) return '';
  return answer === null ? 'No answer yet' : `${ANSWER[answer.kind]} ${clock(answer.at, now)}`;
}

/** "Mia", "Mia, on call by Backend", or the schedule by which nobody is on call. */
export function whoText({ user, schedule }: Pick<PageRecord, 'user' | 'schedule'>): string {
  const name = user === null ? 'Nobody' : user.name || 'A former member';
  return schedule === null ? name : `${name}, on call by ${schedule.name || 'a former schedule'}`;
}
