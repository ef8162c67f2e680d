import { describe, expect, it } from 'vitest';
import { recurrenceText } from '@/screens/silences/recurrenceText';

describe('recurrences in words', () => {
  it.each([
    ['FREQ=DAILY', 30, 'repeats every day for 30 min'],
    ['FREQ=WEEKLY;BYDAY=SU', 60, 'repeats on Sun for 1 h'],
    ['FREQ=WEEKLY;BYDAY=FR,MO,WE', 90, 'repeats on Mon, Wed and Fri for 1 h 30 min'],
    ['FREQ=MONTHLY;BYMONTHDAY=1', 120, 'repeats by FREQ=MONTHLY;BYMONTHDAY=1 for 2 h'],
  ])('%s of %i minutes is "%s"', (rrule, durationMinutes, text) => {
    expect(recurrenceText({ rrule, durationMinutes, timezone: 'UTC' })).toBe(text);
  });
});
