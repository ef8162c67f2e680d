import { expect, test } from 'vitest';
import { unchanged } from '@/lib/forms/useFaults';

const REFUSED = { name: '', config: { url: 'ftp://x', token: '' }, groupBy: ['a'] };
const FAULTS = { name: 'Enter a name.', 'config.url': 'Not an address.', groupBy: 'Unknown field.' };

test('a fault remains while its field holds what was refused', () => {
  const other = { ...REFUSED, config: { ...REFUSED.config, token: 'typed' } };

  expect(unchanged(FAULTS, REFUSED, other)).toEqual(FAULTS);
});

test('a fault disappears when its field changes', () => {
  const named = { ...REFUSED, name: 'Pager' };
  const moved = { ...REFUSED, config: { ...REFUSED.config, url: 'https://x' }, groupBy: ['a', 'b'] };

  expect(unchanged(FAULTS, REFUSED, named)).toEqual({ 'config.url': 'Not an address.', groupBy: 'Unknown field.' });
  expect(unchanged(FAULTS, REFUSED, moved)).toEqual({ name: 'Enter a name.' });
});

test('a fault of a field that the form does not hold yet remains until it is entered', () => {
  const faults = { 'extra.pattern': 'Not a pattern.' };

  expect(unchanged(faults, { extra: {} }, { extra: {} })).toEqual(faults);
  expect(unchanged(faults, { extra: {} }, { extra: { pattern: '^OK' } })).toEqual({});
  expect(unchanged({ 'extra.pattern.x': 'Not a pattern.' }, {}, {})).toEqual({ 'extra.pattern.x': 'Not a pattern.' });
});
