import { describe, expect, it } from 'vitest';
import { Told } from '@/lib/requests/faults';
import { message } from '@/lib/requests/problems';

const UNREACHED = 'Cannot reach the server. Check your connection and try again.';

describe('what is said of a fault that is no problem document', () => {
  it.each([
    new TypeError('Failed to fetch'),
    new TypeError('NetworkError when attempting to fetch resource.'),
    new TypeError('Load failed'),
    '<html>502 Bad Gateway</html>',
    {},
  ])('the network is named for %s', (fault) => {
    expect(message(fault)).toBe(UNREACHED);
  });

  it.each([
    new TypeError("Cannot read properties of undefined (reading 'toJSON')"),
    new DOMException('Registration failed', 'AbortError'),
  ])('the network is not named for a fault of the page: %s', (fault) => {
    expect(message(fault)).toContain(fault.message);
    expect(message(fault)).not.toContain('Cannot reach');
  });

  it('a sentence for a person is said as it is', () => {
    expect(message(new Told('Your browser refused.'))).toBe('Your browser refused.');
  });
});
