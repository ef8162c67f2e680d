/** What each code in `/login?error=` means for a person: the `Fault`s of `inbox/identity/faults.py`. */
export const PROVIDER_FAULTS: Record<string, string> = {
  sign_in_expired: 'This sign-in took too long, or it is finished already. Try again.',
  sign_in_mismatch: 'The answer of the identity provider belongs to another sign-in. Try again in this window.',
  sign_in_cancelled: 'You cancelled at the identity provider. Try again, or use another way.',
  provider_unavailable: 'The identity provider does not respond. Try again in a minute, or use another way.',
  provider_misconfigured:
    'The settings of this instance do not match those of the identity provider. Report it to the administrator.',
  provider_refused: 'The identity provider refused. Ask whoever administers it, or use another way.',
  identity_unproved:
    'The identity provider sent no valid proof. Try again; if it fails again, report it to the administrator.',
  identity_not_recent: 'The identity provider did not ask for a new confirmation. Try again, or use another way.',
  provider_unknown: 'This instance has no such identity provider.',
  account_unknown: 'No account here belongs to this identity. Ask an owner of a workspace for an invite.',
  account_disabled: 'Your account is disabled. Ask an administrator of this instance.',
  sign_in_to_link:
    'This address has an account here. Sign in to it once with your password or passkey: that links the two.',
  identity_taken: 'This identity is linked to another account.',
  identity_mismatch: 'This is the identity of somebody else. Choose your own account at the identity provider.',
  session_ended: 'You were signed out meanwhile. Sign in and try again.',
  rate_limited: 'There were too many attempts. Wait five minutes.',
  unavailable: 'The service is not ready. Try again in a minute.',
  internal_error: 'The server failed. Try again; if it fails again, report it to the administrator.',
};

/** A sentence for the code. Codes of later versions are named. */
export function providerFault(code: string): string {
  const text = Object.hasOwn(PROVIDER_FAULTS, code) ? PROVIDER_FAULTS[code] : undefined;
  return text ?? `Signing in with the identity provider failed (${code.slice(0, 60)}). Try again, or use another way.`;
}
