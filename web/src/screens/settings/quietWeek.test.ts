import { describe, expect, it } from 'vitest';
import { barsOf, daysOf, isDate, sentenceOf } from '@/screens/settings/quietWeek';

describe('the week of quiet hours', () => {
  it('cuts a window over midnight into two days, and Sunday leads to Monday', () => {
    const bars = barsOf([{ days: ['sun'], start: '18:00', end: '06:00' }]);
    expect(bars.sun).toEqual([{ left: 75, width: 25 }]);
    expect(bars.mon).toEqual([{ left: 0, width: 25 }]);
    expect(bars.tue).toEqual([]);
  });

  it('keeps a window within its day, and a whole day whole', () => {
    expect(barsOf([{ days: ['sat'], start: '06:00', end: '12:00' }]).sat).toEqual([{ left: 25, width: 25 }]);
    const whole = barsOf([{ days: ['sat'], start: '00:00', end: '00:00' }]);
    expect([whole.sat, whole.sun]).toEqual([[{ left: 0, width: 100 }], []]);
  });

  it('draws nothing for a time that is not entered', () => {
    expect(barsOf([{ days: ['mon'], start: '', end: '07:00' }]).mon).toEqual([]);
  });

  it('describes the windows in words', () => {
    const night = { start: '22:00', end: '07:00' };
    expect(sentenceOf([{ ...night, days: ['fri', 'mon', 'tue', 'wed', 'thu'] }])).toBe('Mon to Fri 22:00 to 07:00');
    expect(sentenceOf([{ ...night, days: [] }])).toBe('');
    expect(daysOf(['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'])).toBe('every day');
    expect(daysOf(['sun', 'mon', 'wed'])).toBe('Mon, Wed and Sun');
    expect(daysOf(['sat', 'sun'])).toBe('Sat and Sun');
  });

  it('knows days of the calendar', () => {
    expect(['2026-12-24', '2028-02-29'].map(isDate)).toEqual([true, true]);
    expect(['2026-02-29', '2026-13-01', '24.12.2026', ''].map(isDate)).toEqual([false, false, false, false]);
  });
});
