import { describe, expect, it } from 'vitest';
import { recurrenceText } from '@/screens/silences/recurrenceText';

describe('recurrences in words', () => {
  it.each([
    ['FREQ=DAILY', 30, 'recurs each day for 30 min'],
    ['FREQ=WEEKLY;BYDAY=SU', 60, 'recurs on Sun for 1 h'],
    ['FREQ=WEEKLY;BYDAY=FR,MO,WE', 90, 'recurs on Mon, Wed and Fri for 1 h 30 min'],
    ['FREQ=MONTHLY;BYMONTHDAY=1', 120, 'recurs by FREQ=MONTHLY;BYMONTHDAY=1 for 2 h'],
  ])('%s of %i minutes is "%s"', (rrule, durationMinutes, text) => {
    expect(recurrenceText({ rrule, durationMinutes, timezone: 'UTC' })).toBe(text);
  });
});
