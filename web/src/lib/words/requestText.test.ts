import { expect, test } from 'vitest';
import { requestText } from '@/lib/words/requestText';

const POST = { method: 'POST', url: 'https://example.org/x', headers: { 'content-type': 'application/json' } };

test('JSON is shown in lines below the headers', () => {
  expect(requestText({ ...POST, body: '{"a":1}' })).toBe(
    'POST https://example.org/x\ncontent-type: application/json\n\n{\n  "a": 1\n}',
  );
});

test('another body is shown as it is', () => {
  expect(requestText({ ...POST, headers: {}, body: 'To=%2B1&Body=x' })).toBe(
    'POST https://example.org/x\n\nTo=%2B1&Body=x',
  );
});
