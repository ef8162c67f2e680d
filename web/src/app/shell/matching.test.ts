import { describe, expect, it } from 'vitest';
import { matching } from '@/app/shell/matching';

const items = [
  { label: 'Source keys', about: 'All keys of this workspace.' },
  { label: 'Heartbeats', about: 'Jobs and their sources.' },
  { label: 'New source' },
  { label: 'Sources', about: 'Event senders.' },
];
const labels = (text: string) => matching(items, text).map((each) => each.label);

describe('what the palette finds among screens and commands', () => {
  it('begins with labels that begin with the text, then has labels with it, then descriptions', () => {
    expect(labels('sour')).toEqual(['Source keys', 'Sources', 'New source', 'Heartbeats']);
  });

  it('has all words of the text, in any order and case', () => {
    expect(labels('KEYS source')).toEqual(['Source keys']);
    expect(labels('source nothing')).toEqual([]);
  });
});
