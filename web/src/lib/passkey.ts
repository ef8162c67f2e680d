/** Asks the browser for a passkey; answers what the API takes as `credential`. Throws when the person cancels. */
export async function passkeyProof(options: { [key: string]: unknown }): Promise<{ [key: string]: unknown }> {
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(
    options as unknown as PublicKeyCredentialRequestOptionsJSON,
  );
  const found = (await navigator.credentials.get({ publicKey })) as PublicKeyCredential | null;
  if (found === null) throw new Error('no passkey was chosen');
  return found.toJSON() as unknown as { [key: string]: unknown };
}

/** Whether this browser can use passkeys: a secure address and a browser that knows the JSON forms. */
export function hasPasskeys(): boolean {
  return typeof PublicKeyCredential === 'function' && 'parseRequestOptionsFromJSON' in PublicKeyCredential;
}

/** Asks the browser to make a passkey; answers what the API takes as `credential`. Throws when the person cancels. */
export async function newPasskey(options: { [key: string]: unknown }): Promise<{ [key: string]: unknown }> {
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(
    options as unknown as PublicKeyCredentialCreationOptionsJSON,
  );
  const made = (await navigator.credentials.create({ publicKey })) as PublicKeyCredential | null;
  if (made === null) throw new Error('no passkey was made');
  return made.toJSON() as unknown as { [key: string]: unknown };
}
