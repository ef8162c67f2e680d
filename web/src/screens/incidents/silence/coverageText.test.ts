import { expect, it } from 'vitest';
import { coverageText } from '@/screens/incidents/silence/coverageText';

it.each([
  [1, true, 9, true, 'Mutes 1 open incident, would have muted 9 events in 7 days.'],
  [0, true, 1, true, 'Mutes 0 open incidents, would have muted 1 event in 7 days.'],
  [20_000, false, 9, false, 'Mutes at least 20,000 open incidents, would have muted at least 9 events in 7 days.'],
])('a silence of %i incidents and their events is told before it is made', (count, complete, events, all, text) => {
  const found = { count, complete, recentEvents: { count: events, complete: all } };
  expect(coverageText(found)).toBe(`${text} Critical incidents are muted too.`);
});
