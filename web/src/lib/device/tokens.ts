import { below, ownName } from '@/lib/navigation/base';
import { drop, keep, readKept } from '@/lib/offline/store';

/** The device that this browser is paired as. The access token is in memory alone. */
export type Device = { id: string; refreshToken: string };
export type Tokens = { deviceId: string; accessToken: string; accessExpiresAt: string; refreshToken: string };
type Access = { token: string; expiresAt: number };
type Message = { access: Access } | { ended: true };

export const DEVICE = 'device';
const NAME = ownName('inbox-device');
const MARGIN = 30_000;
const SHORTEST = 300_000;
const LONGEST_CALL = 10_000;
const PAUSES = [1_000, 4_000];
const PATIENCE_AFTER_FAILURE = 10_000;

let access: Access | null = null;
let failedAt = 0;
let onEnded: () => void = () => undefined;
const channel = new BroadcastChannel(NAME);
channel.onmessage = ({ data }: MessageEvent<Message>) => {
  if ('access' in data) access = data.access;
  else {
    access = null;
    onEnded();
  }
};

/** Calls this when the device was unpaired, in whatever tab it was noticed. */
export function whenEnded(act: () => void): void {
  onEnded = act;
}

export function storedDevice(): Promise<Device | undefined> {
  return readKept<Device>(DEVICE);
}

/** The refresh token is stored before the access token is used: a pair that is not stored is lost. */
export async function storeTokens(tokens: Tokens): Promise<void> {
  await keep(DEVICE, { id: tokens.deviceId, refreshToken: tokens.refreshToken } satisfies Device);
  // A clock that is ahead makes each token look expired. One that is behind is settled by a 401.
  const expiresAt = Math.max(Date.parse(tokens.accessExpiresAt), Date.now() + SHORTEST);
  access = { token: tokens.accessToken, expiresAt };
  channel.postMessage({ access } satisfies Message);
}

/** Forgets the device, in all tabs. */
export async function forgetDevice(): Promise<void> {
  access = null;
  await drop(DEVICE);
  channel.postMessage({ ended: true } satisfies Message);
}

export type Authorization = { token: string } | { refused: Response };

/**
 * A valid access token, or the answer that refused one.
 *
 * 1. The token in memory counts until shortly before it expires, unless it is `refused`.
 * 2. One tab or worker refreshes at a time, and gives the new token to the others: a refresh ends the token before.
 * 3. A refresh token that is refused means that the device was unpaired.
 * 4. A call without an answer may have ended the token. The service answers the same token for a minute more, so it is repeated
 *    within that time. Callers that waited meanwhile try once.
 */
export function authorize(refused?: string): Promise<Authorization> {
  const usable = () => access !== null && access.token !== refused && access.expiresAt > Date.now() + MARGIN;
  if (usable()) return Promise.resolve({ token: access!.token });
  return alone(async () => {
    if (usable()) return { token: access!.token };
    const device = await storedDevice();
    const answer = await refresh(device?.refreshToken ?? '');
    if (!answer.ok) {
      if (answer.status === 401) {
        await forgetDevice();
        onEnded();
      }
      return { refused: answer };
    }
    await storeTokens((await answer.json()) as Tokens);
    return { token: access!.token };
  });
}

async function refresh(refreshToken: string): Promise<Response> {
  const call = () =>
    fetch(below('/v1/devices/token'), {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ refreshToken }),
      credentials: 'omit',
      cache: 'no-store',
      signal: AbortSignal.timeout(LONGEST_CALL),
    });
  const isWorthwhile = navigator.onLine && Date.now() - failedAt > PATIENCE_AFTER_FAILURE;
  for (const pause of isWorthwhile ? PAUSES : []) {
    try {
      return await call();
    } catch {
      await new Promise((resolve) => setTimeout(resolve, pause));
    }
  }
  try {
    return await call();
  } catch (fault) {
    failedAt = Date.now();
    throw fault;
  }
}

/** Returns whether the token is still valid: a 401 then means that the operation needs a session. */
async function isGood(token: string): Promise<boolean> {
  const answer = await fetch(bearing(new Request(below('/v1/me'), { cache: 'no-store' }), token));
  return answer.status !== 401;
}

function alone<T>(act: () => Promise<T>): Promise<T> {
  if (!('locks' in navigator)) return act();
  return navigator.locks.request(NAME, act);
}

/** A request of the device. An access token that expired meanwhile is replaced once. */
export async function fetchAsDevice(request: Request): Promise<Response> {
  const retry = request.clone();
  const first = await authorize();
  if ('refused' in first) return first.refused;
  const answer = await fetch(bearing(request, first.token));
  if (answer.status !== 401 || (await isGood(first.token))) return answer;
  const next = await authorize(first.token);
  return 'refused' in next ? next.refused : fetch(bearing(retry, next.token));
}

function bearing(request: Request, token: string): Request {
  const headers = new Headers(request.headers);
  headers.set('Authorization', `Bearer ${token}`);
  return new Request(request, { headers, credentials: 'omit' });
}
