import type { Problem } from '@/api';
import { isNetworkFault, Told } from '@/lib/requests/faults';
import { auth } from '@/lib/session/identity';

/** Whether this is a problem document of the API, and not a fault of the network or of ours. */
export function isProblem(fault: unknown): fault is Problem {
  return typeof fault === 'object' && fault !== null && 'code' in fault && 'status' in fault;
}

/** Whether a write was refused because somebody else changed the record in between. */
export function isConflict(fault: unknown): boolean {
  return isProblem(fault) && fault.code === 'rev_mismatch';
}

/** The problem with the time of `Retry-After`, after which the request may be repeated. */
export function withRetryAfter(fault: unknown, header: string | null): unknown {
  const seconds = Number(header);
  return isProblem(fault) && seconds > 0 ? { ...fault, retryAt: Date.now() + seconds * 1000 } : fault;
}

/** When a refused request may be repeated; null: at any time. */
export function retryAt(fault: unknown): number | null {
  return isProblem(fault) && 'retryAt' in fault && typeof fault.retryAt === 'number' ? fault.retryAt : null;
}

const ADVICE: Record<string, string> = {
  unavailable: 'The service is unavailable. The page shows the data loaded last.',
  internal_error: 'Server error. Try again. If it keeps failing, give your administrator the request id.',
  rev_mismatch: 'Someone else changed this. Your change was not saved. Reload and try again.',
};

/** One or two sentences for a person. */
export function message(fault: unknown): string {
  if (fault instanceof Told) return fault.message;
  if (!isProblem(fault))
    return isNetworkFault(fault)
      ? 'Cannot reach the server. Check your connection and try again.'
      : `Something went wrong in this page: ${sentence((fault as Error).message)} Reload it and try again.`;
  if (fault.code === 'reauth_required' && auth().kind === 'device')
    return 'A paired phone cannot confirm your identity. Use a browser where you are signed in.';
  if (fault.code === 'forbidden' && fault.requiredRole)
    return `You need the ${roleWord(fault.requiredRole)} role for this.`;
  return ADVICE[fault.code] ?? fault.detail ?? fault.title;
}

function roleWord(role: string): string {
  return role === 'instanceAdmin' ? 'instance administrator' : role.charAt(0).toUpperCase() + role.slice(1);
}

export type FieldFaults = { fields: Record<string, string>; rest: string[] };

export const NO_FAULTS: FieldFaults = { fields: {}, rest: [] };

/**
 * The faults of a problem by the field of a form: `/config/url` belongs to the field `config.url`.
 * What belongs to none of the fields named goes to `rest`, for the summary above the form.
 */
export function fieldFaults(fault: unknown, fieldNames: readonly string[]): FieldFaults {
  const found: FieldFaults = { fields: {}, rest: [] };
  if (!isProblem(fault) || !fault.errors?.length) return { fields: {}, rest: [message(fault)] };
  for (const each of fault.errors) {
    const path = each.pointer.replace(/^\//, '').replaceAll('/', '.');
    if (fieldNames.includes(path)) found.fields[path] = sentence(each.detail);
    else found.rest.push(path ? `${path}: ${each.detail}` : each.detail);
  }
  return found;
}

/** The faults that a form shows after a write. A conflict is none of them: `Conflict` asks about it. */
export function formFaults(fault: unknown, fieldNames: readonly string[]): FieldFaults {
  return fault && !isConflict(fault) ? fieldFaults(fault, fieldNames) : NO_FAULTS;
}

export function sentence(text: string): string {
  const first = text.charAt(0).toUpperCase() + text.slice(1);
  return /[.!?]$/.test(first) ? first : `${first}.`;
}
