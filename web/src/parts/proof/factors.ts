import { message } from '@/lib/requests/problems';

export type Factor = 'password' | 'totp' | 'recovery_code' | 'passkey';

/** Returns the value for the text of the field: a password may contain spaces, a code never does. */
export function proofOf(factor: Factor, text: string): string {
  return factor === 'password' ? text : text.trim();
}

/** Why a proof failed, in words. The browser itself refuses a passkey when the person gives up. */
export function refusalOf(factor: Factor, fault: unknown): string {
  return factor === 'passkey' && fault instanceof DOMException
    ? 'The passkey was not used. Try again, or choose another method.'
    : message(fault);
}
