import { expect, test } from 'vitest';
import { wordDiff } from '@/parts/history/wordDiff';

test('equal texts are one piece', () => {
  expect(wordDiff('Notify the chat.', 'Notify the chat.')).toEqual([{ kind: 'same', text: 'Notify the chat.' }]);
});

test('a changed word is removed and added', () => {
  expect(wordDiff('Notify Chat at once.', 'Notify Pager at once.')).toEqual([
    { kind: 'same', text: 'Notify ' },
    { kind: 'removed', text: 'Chat ' },
    { kind: 'added', text: 'Pager ' },
    { kind: 'same', text: 'at once.' },
  ]);
});

test.each([
  ['', 'new', 'added'],
  ['old', '', 'removed'],
])('%j becomes %j', (before, after, kind) => {
  expect(wordDiff(before, after)).toEqual([{ kind, text: before || after }]);
});

test('both texts can be read from the pieces', () => {
  const [before, after] = ['a b c d e f', 'b x d f g'];
  const pieces = wordDiff(before, after);
  const without = (kind: string) => pieces.flatMap((each) => (each.kind === kind ? [] : [each.text.trim()]));
  expect(without('added').join(' ')).toBe(before);
  expect(without('removed').join(' ')).toBe(after);
});
