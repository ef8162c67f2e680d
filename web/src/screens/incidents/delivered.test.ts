import { describe, expect, it } from 'vitest';
import type { NoticeDecision } from '@/api';
import { delivered, deliveredText, resendable, statusOf } from '@/screens/incidents/delivered';

type Status = NoticeDecision['status'];

const decision = (statuses: Status[], more: Partial<NoticeDecision> = {}) =>
  ({
    cause: 'notify',
    status: statuses[0] ?? null,
    deliveries: statuses.map((status, index) => ({
      id: `dlv_${index}`,
      status,
      attempts: [],
      destination: { deleted: false },
    })),
    ...more,
  }) as NoticeDecision;
const text = (...decisions: NoticeDecision[]) => deliveredText(delivered({ reason: 'opened', decisions }));

describe('the result of a notice', () => {
  it.each([
    [[decision(['sent']), decision(['failed']), decision(['retrying'])], '1 of 3 delivered'],
    [[decision(['sent']), decision([], { cause: 'below_min_severity' })], '1 of 1 delivered'],
    [[decision(['failed', 'sent'])], '1 of 1 delivered'],
    [[decision(['pending'])], '0 of 1 delivered'],
    [[decision(['failed']), decision(['skipped'])], 'No one notified'],
    [[decision([], { cause: 'below_min_severity' })], 'No one notified'],
    [[], 'No one notified'],
    [[decision([], { cause: 'silenced' })], ''],
    [[decision([], { cause: 'mailed' })], ''],
    [[decision(['skipped'], { cause: 'quiet_hours' })], '0 of 1 delivered'],
  ])('counts the notified destinations, case %#', (decisions, expected) => {
    expect(text(...decisions)).toBe(expected);
  });

  it('does not warn of an update that nobody gets', () => {
    expect(deliveredText(delivered({ reason: 'acknowledged', decisions: [] }))).toBe('');
    const failed = delivered({ reason: 'acknowledged', decisions: [decision(['failed'])] });
    expect(deliveredText(failed)).toBe('0 of 1 delivered');
  });

  it('names what a delivery meets that failed three times', () => {
    const failing = decision(['retrying']);
    const attempts = [503, 503, null].map((statusCode) => ({
      statusCode,
      error: statusCode ? null : 'connect_failed',
    }));
    Object.assign(failing.deliveries[0]!, { attempts: attempts.slice(0, 2) });
    expect(text(failing)).toBe('0 of 1 delivered');
    Object.assign(failing.deliveries[0]!, { attempts });
    expect(text(failing)).toBe('Not delivered yet (connect failed)');
    expect(text(failing, decision(['sent']))).toBe('1 of 2 delivered (connect failed)');
  });

  it('has the status of its digest', () => {
    const gathered = decision(['gathered']);
    expect(statusOf(gathered)).toBe('sent');
    Object.assign(gathered.deliveries[0]!, { digest: { status: 'retrying' } });
    expect(statusOf(gathered)).toBe('retrying');
  });

  it('is sent again by its newest delivery once that is finished', () => {
    expect(resendable(decision(['failed', 'sent']))?.id).toBe('dlv_1');
    expect(resendable(decision(['failed', 'pending']))).toBeUndefined();
    expect(resendable(decision([]))).toBeUndefined();
    const deleted = decision(['sent']);
    Object.assign(deleted.deliveries[0]!.destination, { deleted: true });
    expect(resendable(deleted)).toBeUndefined();
  });
});
