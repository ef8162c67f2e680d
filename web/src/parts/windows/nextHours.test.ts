import { describe, expect, test } from 'vitest';
import type { Window } from '@/api';
import { nextHours } from '@/parts/windows/nextHours';

const usual: Window = { days: ['mon', 'tue', 'wed', 'thu', 'fri'], start: '09:00', end: '17:00' };

describe('hours to add', () => {
  test('are the weekend as whole days after nights', () => {
    const nights: Window = { ...usual, start: '18:00', end: '09:00' };
    expect(nextHours([nights], usual)).toEqual({ days: ['sat', 'sun'], start: '09:00', end: '09:00' });
  });

  test('are the weekend at the same times after hours of a day', () => {
    expect(nextHours([usual], usual)).toEqual({ days: ['sat', 'sun'], start: '09:00', end: '17:00' });
  });

  test('are the usual ones without a day that is free', () => {
    expect(nextHours([usual, { ...usual, days: ['sat', 'sun'] }], usual)).toBe(usual);
    expect(nextHours([], usual)).toBe(usual);
  });
});
