import type { Problem } from '@/api';
import { client } from '@/api/client.gen';
import { fetchAsDevice } from '@/lib/device/tokens';
import { base, within } from '@/lib/navigation/base';
import { withRetryAfter } from '@/lib/requests/problems';
import { auth } from '@/lib/session/identity';
import { askForProof } from '@/lib/session/proof';

/**
 * The fetch of the generated client.
 *
 * 1. A 401 of somebody who was signed in opens the sign-in dialog over the page; afterwards the request is sent again.
 * 2. A 403 that asks for a recent proof opens the step-up dialog; afterwards the request is sent again.
 * 3. Everything else is returned as it came.
 *
 * A paired device has neither dialog: it sends its token, and renews it by itself.
 */
async function replayingFetch(input: RequestInfo | URL, init?: RequestInit): Promise<Response> {
  const request = new Request(input, init);
  if (auth().kind === 'device') return fetchAsDevice(request);
  const retry = request.clone();
  const answer = await fetch(request);
  if (answer.status !== 401 && answer.status !== 403) return answer;
  if (within(new URL(request.url).pathname)?.startsWith('/v1/auth/')) return answer;
  const problem = (await answer
    .clone()
    .json()
    .catch(() => null)) as Problem | null;
  if (problem === null || !(await askForProof(problem))) return answer;
  return fetch(retry);
}

export function configureClient(): void {
  client.setConfig({ baseUrl: base, fetch: replayingFetch, credentials: 'same-origin' });
  client.interceptors.error.use((fault, answer) => withRetryAfter(fault, answer?.headers.get('Retry-After') ?? null));
}
