import { expect, test } from 'vitest';
import { isWeb, linkParts } from '@/lib/navigation/links';

test.each([
  ['https://example.org/a', true],
  ['HTTP://example.org', true],
  ['javascript:alert(1)', false],
  ['ftp://example.org', false],
  ['/relative', false],
])('%s leads to the web: %s', (url, expected) => {
  expect(isWeb(url)).toBe(expected);
});

test.each([
  ['See https://a.example/x.', ['See ', '<https://a.example/x>', '.']],
  ['(https://a.example/x), then', ['(', '<https://a.example/x>', '), then']],
  ['https://a.example/x_(y) ok', ['<https://a.example/x_(y)>', ' ok']],
  ['javascript:alert(1) and ftp://b', ['javascript:alert(1) and ftp://b']],
  ['"https://a.example/?q=1&b=2"', ['"', '<https://a.example/?q=1&b=2>', '"']],
  ['https://', ['https://']],
  ['', []],
])('%s has its addresses as links', (text, expected) => {
  const parts = linkParts(text);
  expect(parts.map((part) => (part.isLink ? `<${part.text}>` : part.text))).toEqual(expected);
  expect(parts.map((part) => part.text).join('')).toBe(text);
});
