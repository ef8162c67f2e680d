/** A fault whose message is written for a person. */
export class Told extends Error {}

const LOST = /fetch|network|load failed/i;

/** Whether a request did not reach the server, or nothing behind it answered as the service does. */
export function isNetworkFault(fault: unknown, isOnline = globalThis.navigator?.onLine !== false): boolean {
  if (!(fault instanceof Error)) return true;
  return !isOnline || (fault instanceof TypeError && LOST.test(fault.message));
}
