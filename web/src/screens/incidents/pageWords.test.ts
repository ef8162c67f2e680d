import { expect, test } from 'vitest';
import type { PageContact, PageRecord } from '@/api';
import { clock } from '@/lib/time/time';
import { answerText, contactText, whoText } from '@/screens/incidents/pageWords';

const AT = '2026-11-30T21:03:00.000Z';
const NOW = Date.parse('2026-11-30T21:05:00Z');
const TIME = clock(AT, NOW);

function contact(fields: Partial<PageContact>): PageContact {
  return { kind: 'push', status: 'sent', cause: null, dueAt: null, settledAt: null, ...fields } as PageContact;
}

test('a contact says whether it was reached, and when', () => {
  const texts = [
    contact({ settledAt: AT }),
    contact({ kind: 'email', status: 'pending', cause: 'notification_rule', dueAt: AT }),
    contact({ status: 'pending' }),
    contact({ status: 'retrying' }),
    contact({ kind: 'email', status: 'skipped' }),
    contact({ status: 'failed', settledAt: AT }),
    contact({ kind: 'pigeon' }),
  ].map((each) => contactText(each, NOW));

  expect(texts).toEqual([
    `Phone push accepted ${TIME}`,
    `Mail follows at ${TIME}`,
    'Phone push is being sent',
    'Phone push not delivered yet',
    'Mail no longer needed',
    `Phone push failed ${TIME}`,
    'pigeon accepted',
  ]);
});

test('a person has answered or not, and an empty schedule has no answer', () => {
  const answer = { kind: 'acknowledged', at: AT } as PageRecord['answer'];

  expect(answerText({ answer, cause: null }, NOW)).toBe(`Acknowledged ${TIME}`);
  expect(answerText({ answer: null, cause: null }, NOW)).toBe('No answer yet');
  expect(answerText({ answer: null, cause: 'nobody_on_call' }, NOW)).toBe('');
});

test('the person is named with the schedule', () => {
  const user = { id: 'usr_1', name: 'Mia' } as PageRecord['user'];
  const schedule = { id: 'sch_1', name: 'Backend' } as PageRecord['schedule'];

  expect([whoText({ user, schedule: null }), whoText({ user, schedule }), whoText({ user: null, schedule })]).toEqual([
    'Mia',
    'Mia, on call by Backend',
    'Nobody, on call by Backend',
  ]);
});
