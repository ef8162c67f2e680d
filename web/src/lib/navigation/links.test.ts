import { expect, test } from 'vitest';
import { isWeb } from '@/lib/navigation/links';

test.each([
  ['https://example.org/a', true],
  ['HTTP://example.org', true],
  ['javascript:alert(1)', false],
  ['ftp://example.org', false],
  ['/relative', false],
])('%s leads to the web: %s', (url, expected) => {
  expect(isWeb(url)).toBe(expected);
});
