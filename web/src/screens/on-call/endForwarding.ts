import { forwardingsRemove, type ForwardingRecord } from '@/api';
import { refresh } from '@/lib/requests/refresh';
import { sayFault } from '@/parts/toast';
import { CHANGED } from '@/screens/on-call/useSchedules';

/** Removes a forwarding that has not begun, and ends one that has. Returns whether the service did. */
export async function end({ id }: ForwardingRecord): Promise<boolean> {
  try {
    await forwardingsRemove({ path: { forwarding_id: id }, throwOnError: true });
    return true;
  } catch (fault) {
    sayFault(fault);
    return false;
  } finally {
    void refresh(...CHANGED);
  }
}
