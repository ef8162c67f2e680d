import { describe, expect, it } from 'vitest';
import { rawText, summaryOf, verdictOf } from '@/screens/welcome/signature';

// The vector of the Standard Webhooks specification.
const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const REQUEST = {
  receivedAt: '2026-01-01T00:00:00Z',
  headers: [
    { name: 'webhook-id', value: 'msg_p5jXN8AQM9LWM0D4loKWxJek' },
    { name: 'webhook-timestamp', value: '1614265330' },
    { name: 'webhook-signature', value: 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=' },
  ],
  body: '{"test": 2432232314}',
};

describe('the signature of a webhook', () => {
  it('is valid with the secret that signed it', async () => {
    expect(await verdictOf(REQUEST, SECRET)).toBe('valid');
  });

  it('is not valid for another body or another secret', async () => {
    expect(await verdictOf({ ...REQUEST, body: '{"test": 1}' }, SECRET)).toBe('invalid');
    expect(await verdictOf(REQUEST, 'whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA')).toBe('invalid');
  });

  it('is unknown without a secret', async () => {
    expect(await verdictOf(REQUEST, null)).toBe('unknown');
  });
});

it('a request is shown as its headers, an empty line and its body', () => {
  expect(rawText(REQUEST)).toContain('webhook-timestamp: 1614265330\n');
  expect(rawText(REQUEST)).toMatch(/\n\n\{\n {2}"test": 2432232314\n\}$/);
  expect(rawText({ ...REQUEST, body: 'no json' })).toMatch(/\n\nno json$/);
});

it('a request is summed up by its type and the title of its incident', () => {
  expect(summaryOf({ ...REQUEST, body: '{"type":"incident.opened","data":{"title":"Disk"}}' })).toEqual({
    type: 'incident.opened',
    title: 'Disk',
  });
  expect(summaryOf({ ...REQUEST, body: '[]' })).toEqual({ type: 'unknown', title: '' });
});
