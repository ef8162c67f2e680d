import type { ReceivedRequest } from '@/api';

const PREFIX = 'whsec_';

/** `unknown`: this page has no secret. `unsupported`: the browser computes signatures on https and localhost only. */
export type Verdict = 'valid' | 'invalid' | 'unknown' | 'unsupported';

export function headerOf(request: ReceivedRequest, name: string): string {
  return request.headers.find((each) => each.name === name)?.value ?? '';
}

/** Verifies a request in this browser, as the receiver of a Standard Webhook does. */
export async function verdictOf(request: ReceivedRequest, secret: string | null): Promise<Verdict> {
  if (secret === null) return 'unknown';
  if (!globalThis.crypto?.subtle) return 'unsupported';
  const id = headerOf(request, 'webhook-id');
  const timestamp = headerOf(request, 'webhook-timestamp');
  const expected = await signatureOf(secret, `${id}.${timestamp}.${request.body}`);
  const given = headerOf(request, 'webhook-signature').split(' ');
  return given.includes(`v1,${expected}`) ? 'valid' : 'invalid';
}

async function signatureOf(secret: string, signed: string): Promise<string> {
  const raw = Uint8Array.from(atob(secret.slice(PREFIX.length)), (sign) => sign.charCodeAt(0));
  const key = await crypto.subtle.importKey('raw', raw, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign']);
  const made = await crypto.subtle.sign('HMAC', key, new TextEncoder().encode(signed));
  return btoa(String.fromCharCode(...new Uint8Array(made)));
}

/** The request as text: headers, an empty line, and the body with line breaks. */
export function rawText(request: ReceivedRequest): string {
  const lines = request.headers.map((each) => `${each.name}: ${each.value}`);
  return [...lines, '', indented(request.body)].join('\n');
}

function indented(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 2);
  } catch {
    return body;
  }
}

/** `incident.opened`, and the title of the incident. */
export function summaryOf(request: ReceivedRequest): { type: string; title: string } {
  try {
    const body = JSON.parse(request.body) as { type?: unknown; data?: { title?: unknown } };
    return {
      type: typeof body.type === 'string' ? body.type : 'unknown',
      title: typeof body.data?.title === 'string' ? body.data.title : '',
    };
  } catch {
    return { type: 'unknown', title: '' };
  }
}
