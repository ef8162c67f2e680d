type Options = { [key: string]: unknown };

/** Asks the browser for a passkey; answers what the API takes as `credential`. Throws when the person cancels. */
export function passkeyProof(options: Options): Promise<Options> {
  stopOffer();
  return proofOf({ publicKey: parsed(options) });
}

/** The offer that waits beside a field. A browser has one question at a time. */
let offer: AbortController | null = null;

/** Ends the offer beside the field of the address. */
export function stopOffer(): void {
  offer?.abort();
  offer = null;
}

/** Returns whether this browser offers passkeys beside a field, as it offers passwords. */
export async function canOffer(): Promise<boolean> {
  return hasPasskeys() && ((await PublicKeyCredential.isConditionalMediationAvailable?.()) ?? false);
}

/** Offers passkeys beside the field of the address. It waits until one is chosen, and throws when the offer ends. */
export function offeredPasskey(options: Options): Promise<Options> {
  stopOffer();
  offer = new AbortController();
  return proofOf({ publicKey: parsed(options), mediation: 'conditional', signal: offer.signal });
}

async function proofOf(question: CredentialRequestOptions): Promise<Options> {
  const found = (await navigator.credentials.get(question)) as PublicKeyCredential | null;
  if (found === null) throw new DOMException('no passkey was chosen', 'NotAllowedError');
  return found.toJSON() as unknown as Options;
}

function parsed(options: Options): PublicKeyCredentialRequestOptions {
  return PublicKeyCredential.parseRequestOptionsFromJSON(options as unknown as PublicKeyCredentialRequestOptionsJSON);
}

/** Returns whether this browser can use passkeys: a secure address, and support of the JSON forms. */
export function hasPasskeys(): boolean {
  return typeof PublicKeyCredential === 'function' && 'parseRequestOptionsFromJSON' in PublicKeyCredential;
}

/** Asks the browser to make a passkey; answers what the API takes as `credential`. Throws when the person cancels. */
export async function newPasskey(options: Options): Promise<Options> {
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(
    options as unknown as PublicKeyCredentialCreationOptionsJSON,
  );
  const made = (await navigator.credentials.create({ publicKey })) as PublicKeyCredential | null;
  if (made === null) throw new Error('no passkey was made');
  return made.toJSON() as unknown as Options;
}
