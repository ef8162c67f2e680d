const HOUR = 3_600_000;

/**
 * Where the last so many days begin, for a choice of one moment that is shown at another one. It moves by whole hours: at each move
 * the list begins with its first page.
 */
export function sinceOf(days: number, chosenAt: number, now: number): string {
  const hours = Math.max(0, Math.floor((now - chosenAt) / HOUR));
  return new Date(chosenAt + (hours - 24 * days) * HOUR).toISOString();
}
