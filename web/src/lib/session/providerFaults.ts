/** The sentence for each code in `/login?error=`: the `Fault`s of `inbox/identity/faults.py`. */
export const PROVIDER_FAULTS: Record<string, string> = {
  sign_in_expired: 'This sign-in expired or was already completed. Try again.',
  sign_in_mismatch: 'The response of the identity provider belongs to another sign-in. Try again in this window.',
  sign_in_cancelled: 'You cancelled at the identity provider. Try again, or use another method.',
  provider_unavailable: 'The identity provider is not responding. Try again in a minute, or use another method.',
  provider_misconfigured:
    'The settings of this instance and the identity provider do not match. Contact your administrator.',
  provider_refused: 'The identity provider refused the sign-in. Contact its administrator, or use another method.',
  identity_unproved:
    'The identity provider sent an invalid response. Try again. If it keeps failing, contact your administrator.',
  identity_not_recent: 'The identity provider did not ask you to sign in again. Try again, or use another method.',
  provider_unknown: 'This instance has no such identity provider.',
  account_unknown: 'No account is linked to this identity. Ask a workspace owner for an invite.',
  address_unverified:
    'The identity provider does not confirm your email address. Contact the administrator of this instance.',
  account_disabled: 'Your account is disabled. Contact an administrator of this instance.',
  sign_in_to_link:
    'An account with this address already exists. Sign in once with your password or passkey to link it.',
  identity_taken: 'This identity is linked to another account.',
  identity_mismatch: 'This identity belongs to someone else. Choose your own account at the identity provider.',
  session_ended: 'You were signed out. Sign in and try again.',
  rate_limited: 'Too many attempts. Wait five minutes.',
  unavailable: 'The service is unavailable. Try again in a minute.',
  internal_error: 'Server error. Try again. If it keeps failing, contact your administrator.',
};

/** A sentence for the code. Codes of later versions are named. */
export function providerFault(code: string): string {
  const text = Object.hasOwn(PROVIDER_FAULTS, code) ? PROVIDER_FAULTS[code] : undefined;
  return (
    text ?? `Signing in with the identity provider failed (${code.slice(0, 60)}). Try again, or use another method.`
  );
}
