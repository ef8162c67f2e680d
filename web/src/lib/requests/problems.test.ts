import { describe, expect, it } from 'vitest';
import { fieldFaults, message, retryAt, withRetryAfter } from '@/lib/requests/problems';

const problem = (rest: object) => ({
  status: 422,
  code: 'invalid',
  title: 'Invalid',
  detail: 'One field is wrong.',
  ...rest,
});

describe('problem documents', () => {
  it('assigns a fault to its field, as a sentence', () => {
    const fault = problem({ errors: [{ pointer: '/config/url', detail: 'must be https' }] });
    expect(fieldFaults(fault, ['config.url'])).toEqual({ fields: { 'config.url': 'Must be https.' }, rest: [] });
  });

  it('keeps a fault without a field for the summary', () => {
    const fault = problem({ errors: [{ pointer: '/other', detail: 'is unknown' }] });
    expect(fieldFaults(fault, ['name'])).toEqual({ fields: {}, rest: ['other: is unknown'] });
  });

  it('shows the detail of a problem without fields', () => {
    expect(fieldFaults(problem({}), ['name']).rest).toEqual(['One field is wrong.']);
  });

  it('names the role that is missing', () => {
    expect(message(problem({ code: 'forbidden', requiredRole: 'admin' }))).toBe('You need the Admin role for this.');
  });

  it('says that the server is out of reach for every other fault', () => {
    expect(message(new TypeError('fetch failed'))).toContain('Cannot reach the server');
  });
});

describe('requests that may be repeated later', () => {
  const limited = problem({ status: 429, code: 'rate_limited' });

  it('read the wait from the header', () => {
    const before = Date.now();
    expect(retryAt(withRetryAfter(limited, '30'))! - before).toBeGreaterThanOrEqual(30_000);
  });

  it.each([null, '', '0', 'Wed, 21 Oct 2026 07:28:00 GMT'])('ignore a wait of %j', (header) => {
    expect(retryAt(withRetryAfter(limited, header))).toBeNull();
  });

  it('exclude network faults', () => {
    const fault = new TypeError('Failed to fetch');
    expect(withRetryAfter(fault, '30')).toBe(fault);
    expect(retryAt(fault)).toBeNull();
  });
});
