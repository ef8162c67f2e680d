import type { ShiftRecord } from '@/api';

/** Returns whether a person can take a shift: it has not ended, and the person is not on call in it. */
export function canCover({ endsAt, people }: ShiftRecord, userId: string, now: number): boolean {
  return Date.parse(endsAt) > now && people.every((each) => each.userId !== userId);
}

/** Returns whether the person may hand the shift to somebody else: members hand over their own ones. */
export function canHandOver({ endsAt, people }: ShiftRecord, userId: string, isAdmin: boolean, now: number): boolean {
  return Date.parse(endsAt) > now && (isAdmin || people.some((each) => each.userId === userId));
}
