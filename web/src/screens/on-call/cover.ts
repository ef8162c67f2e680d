import type { ShownShift } from '@/screens/on-call/past';

/** Returns whether a shift can still be changed. */
export function isOpen({ endsAt }: ShownShift, now: number): boolean {
  return Date.parse(endsAt) > now;
}

export function isOf({ people }: ShownShift, userId: string): boolean {
  return people.some((each) => each.userId === userId);
}

/** Returns whether a person can take a shift: it has not ended, and the person is not on call in it. */
export function canCover(shift: ShownShift, userId: string, now: number): boolean {
  return isOpen(shift, now) && !isOf(shift, userId);
}
