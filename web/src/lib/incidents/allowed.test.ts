import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { allows } from '@/lib/incidents/allowed';

const ACTS = ['acknowledge', 'unacknowledge', 'snooze', 'unsnooze', 'resolve', 'reopen'] as const;

/** The rows of "Every act in every state", which are printed from the state machine of the service. */
function table(): Record<string, Record<string, string>> {
  const text = readFileSync(join(import.meta.dirname, '../../../../docs/states.md'), 'utf8');
  const lines = text.split('## Every act in every state')[1]?.split('\n') ?? [];
  const rows = lines
    .filter((line) => line.startsWith('|'))
    .map((line) => line.split('|').map((cell) => cell.replaceAll('`', '').trim()));
  const states = rows[0] ?? [];
  return Object.fromEntries(
    rows.map((cells) => [cells[1] ?? '', Object.fromEntries(states.map((state, at) => [state, cells[at] ?? '']))]),
  );
}

describe('an act', () => {
  it.each(ACTS)('%s is offered in the states that it changes', (act) => {
    for (const state of ['open', 'acknowledged', 'snoozed', 'silenced', 'resolved'] as const)
      expect([state, allows(act, state)]).toEqual([state, !['', '(already)'].includes(table()[act]?.[state] ?? '')]);
  });

  it('is offered when one of several states allows it', () => {
    expect(allows('snooze', 'silenced', 'open')).toBe(true);
    expect(allows('snooze', 'silenced', 'resolved')).toBe(false);
    expect(allows('snooze')).toBe(false);
  });
});
