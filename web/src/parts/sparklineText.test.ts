import { expect, test } from 'vitest';
import { sparklineText } from '@/parts/sparklineText';

test.each([
  [[0, 0, 0], 'No events in the last 3 hours'],
  [[0, 0, 1], '1 event in the last 3 hours, the most this hour: 1'],
  [[0, 4, 1], '5 events in the last 3 hours, the most an hour ago: 4'],
  [[4, 0, 4, 0, 0], '8 events in the last 5 hours, the most 2 hours ago: 4'],
])('%j names the time of the maximum', (counts, text) => {
  expect(sparklineText(counts)).toBe(text);
});
