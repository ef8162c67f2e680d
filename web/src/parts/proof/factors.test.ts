import { describe, expect, it } from 'vitest';
import { proofOf, refusalOf } from '@/parts/proof/factors';

describe('a proof', () => {
  it('contains the typed password, or a code without surrounding spaces', () => {
    expect(proofOf('password', ' a phrase ')).toBe(' a phrase ');
    expect(proofOf('totp', ' 123456 ')).toBe('123456');
    expect(proofOf('recovery_code', 'abcd-efgh\n')).toBe('abcd-efgh');
  });

  it('fails as a passkey alone where the browser refused a passkey', () => {
    const gaveUp = new DOMException('The operation was not allowed.', 'NotAllowedError');
    expect(refusalOf('passkey', gaveUp)).toMatch(/^The passkey was not used/);
    expect(refusalOf('passkey', new TypeError('Failed to fetch'))).toMatch(/^Cannot reach the server/);
    expect(refusalOf('password', new TypeError('Failed to fetch'))).toMatch(/^Cannot reach the server/);
  });
});
