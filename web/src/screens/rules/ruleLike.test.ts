import { expect, it } from 'vitest';
import type { EventRecord } from '@/api';
import { ruleLike } from '@/lib/incidents/ruleLike';
import { newRuleOf } from '@/screens/rules/draft';

const SOURCE = 'src_a' as EventRecord['sourceId'];
const EVENT = {
  id: 'evt_a' as EventRecord['id'],
  resource: null,
  type: null,
  title: 'Disk "C" full',
  sourceId: SOURCE,
};

function formOf(event: Partial<EventRecord>) {
  return newRuleOf(new URLSearchParams(ruleLike({ ...EVENT, ...event }).split('?')[1]));
}

it.each([
  [{ resource: 'host:a', type: 'disk' }, 'resource', 'host:a'],
  [{ type: 'disk' }, 'type', 'disk'],
  [{}, 'title', 'Disk "C" full'],
])('a rule like %j has a condition on %s', (event, field, value) => {
  expect(formOf(event).match).toEqual({ simple: { join: 'all', clauses: [{ field, op: 'eq', value }] } });
});

it('the address of a rule based on an event names the event', () => {
  expect(new URLSearchParams(ruleLike(EVENT).split('?')[1]).get('event')).toBe('evt_a');
});

it('a rule based on an event has its source and a name within the limit', () => {
  const form = formOf({ title: 'x'.repeat(300) });
  expect([form.sourceIds, form.name.length]).toEqual([['src_a'], 100]);
});

it('a rule from scratch is empty', () => {
  expect(newRuleOf(new URLSearchParams()).match).toEqual({ simple: { join: 'all', clauses: [] } });
});
