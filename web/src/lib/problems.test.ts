import { describe, expect, it } from 'vitest';
import { fieldFaults, message } from '@/lib/problems';

const problem = (rest: object) => ({
  status: 422,
  code: 'invalid',
  title: 'Invalid',
  detail: 'One field is wrong.',
  ...rest,
});

describe('problem documents', () => {
  it('puts a fault beside its field, as a sentence', () => {
    const fault = problem({ errors: [{ pointer: '/config/url', detail: 'must be https' }] });
    expect(fieldFaults(fault, ['config.url'])).toEqual({ fields: { 'config.url': 'Must be https.' }, rest: [] });
  });

  it('keeps a fault of no field for the summary', () => {
    const fault = problem({ errors: [{ pointer: '/other', detail: 'is unknown' }] });
    expect(fieldFaults(fault, ['name'])).toEqual({ fields: {}, rest: ['other: is unknown'] });
  });

  it('says the detail of a problem without fields', () => {
    expect(fieldFaults(problem({}), ['name']).rest).toEqual(['One field is wrong.']);
  });

  it('names the role that is missing', () => {
    expect(message(problem({ code: 'forbidden', requiredRole: 'admin' }))).toBe('You need the role admin for this.');
  });

  it('says that the server is out of reach for every other fault', () => {
    expect(message(new TypeError('fetch failed'))).toContain('cannot be reached');
  });
});
