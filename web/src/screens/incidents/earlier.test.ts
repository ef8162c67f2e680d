import { expect, it } from 'vitest';
import type { EventRecord, EventRow } from '@/api';
import { earlierThan, newerOf } from '@/screens/incidents/earlier';

const event = (id: string, dedupKey: string | null, title = 'Disk') =>
  ({ id: `evt_${id}`, dedupKey, title, receivedAt: `2026-03-01T10:00:0${id}Z` }) as EventRecord & EventRow;

it('compares an event with the next one of its alert', () => {
  const events = [event('5', 'a'), event('4', 'b'), event('3', 'a'), event('2', null), event('1', null, 'CPU')];
  expect(newerOf(events[2]!, events)).toBe(events[0]);
  expect(newerOf(events[1]!, events)).toBeNull();
  expect(newerOf(events[4]!, events)).toBeNull();
  expect(newerOf(events[0]!, events)).toBeNull();
});

it('lists what came before the shown event, also where its page was left behind', () => {
  const events = [event('5', 'a'), event('4', 'a'), event('3', 'a')];
  expect(earlierThan(events[1]!, events)).toEqual([events[2]]);
  expect(earlierThan(event('4', 'a'), [events[0]!, events[2]!])).toEqual([events[2]]);
});
