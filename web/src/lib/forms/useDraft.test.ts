import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Draft } from '@/lib/forms/useDraft';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function draft(pauseMs: number, stored?: (text: string) => string) {
  const sent: string[] = [];
  return { field: new Draft('', (text) => sent.push(text), pauseMs, stored), sent };
}

test('typed text is sent once, after the pause', () => {
  const { field, sent } = draft(300);
  field.type('d');
  vi.advanceTimersByTime(200);
  field.type('di');
  vi.advanceTimersByTime(299);
  expect(sent).toEqual([]);

  vi.advanceTimersByTime(1);

  expect(sent).toEqual(['di']);
});

test('an older value that arrives late does not replace newer typed text', () => {
  const { field } = draft(0);
  field.type('c');
  field.type('co');

  expect(field.follow('c')).toBe(false);
  expect(field.follow('co')).toBe(false);
  expect(field.text).toBe('co');
});

test('a value from outside does not replace text that is being typed', () => {
  const { field, sent } = draft(300);
  field.type('disk');

  expect(field.follow('tag:prod')).toBe(false);
  vi.advanceTimersByTime(300);

  expect([field.text, sent]).toEqual(['disk', ['disk']]);
});

test('a value from outside is shown once the typed text is sent and stored', () => {
  const { field } = draft(300);
  field.type('disk');
  vi.advanceTimersByTime(300);
  field.follow('disk');

  expect(field.follow('')).toBe(true);
  expect(field.text).toBe('');
});

test('the field goes back to a value that it sent before', () => {
  const { field } = draft(0);
  for (const text of ['a', 'ab']) {
    field.type(text);
    field.follow(text);
  }

  expect(field.follow('a')).toBe(true);
  expect(field.text).toBe('a');
});

test('text that is stored without its outer spaces keeps them in the field', () => {
  const { field, sent } = draft(300, (text) => text.trim());
  field.type('disk ');
  vi.advanceTimersByTime(300);

  expect(field.follow('disk')).toBe(false);
  expect([field.text, sent]).toEqual(['disk ', ['disk']]);
});

test('a text that is typed and deleted within the pause is not sent', () => {
  const { field, sent } = draft(300);
  field.type('d');
  field.type('');
  vi.advanceTimersByTime(300);

  expect(sent).toEqual([]);
});

test('the cleared field sends at once', () => {
  const { field, sent } = draft(300);
  field.type('disk');
  vi.advanceTimersByTime(300);
  field.clear();

  expect([field.text, sent]).toEqual(['', ['disk', '']]);
});

test('a removed field sends nothing', () => {
  const { field, sent } = draft(300);
  field.type('disk');
  field.cancel();
  vi.advanceTimersByTime(300);

  expect(sent).toEqual([]);
});
