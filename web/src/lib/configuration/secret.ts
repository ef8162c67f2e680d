const BYTES = 32;

/** A secret of Standard Webhooks: `whsec_` and base64 of random bytes of this browser. */
export function newSecret(): string {
  return `whsec_${btoa(String.fromCharCode(...crypto.getRandomValues(new Uint8Array(BYTES))))}`;
}
