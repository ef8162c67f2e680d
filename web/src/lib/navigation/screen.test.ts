import { describe, expect, it } from 'vitest';
import { isAddressOf } from '@/lib/navigation/screen';

const schedules = { words: ['new'] };

describe('the addresses of a screen with records', () => {
  it('are its name, its name with a word of its own, and its name with an id', () => {
    for (const rest of [[], ['new'], ['sch_01kb2qv8x5'], ['sch_01kb2qv8x5', 'edit']])
      expect(isAddressOf(schedules, rest)).toBe(true);
  });

  it('are not the names of other reads of the API', () => {
    for (const rest of [['statistics'], ['on-call-now'], ['statistics', 'edit'], ['sch_'], ['']])
      expect(isAddressOf(schedules, rest)).toBe(false);
  });

  it('are all that begin with its name for a screen without records', () => {
    expect(isAddressOf({}, ['notifications'])).toBe(true);
  });
});
