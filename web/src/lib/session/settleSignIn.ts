import { meRead, type MeRecord } from '@/api';
import { meReadQueryKey } from '@/api/@tanstack/react-query.gen';
import { queries } from '@/lib/requests/queries';
import { leave } from '@/lib/session/auth';
import type { Question } from '@/lib/session/proof';

/**
 * Settles the question after a sign-in over the page.
 *
 * 1. The waiting requests are sent again where the same person signed in.
 * 2. Where somebody else did, the page starts again for them. The waiting requests end with the page.
 * 3. Where the service does not say who it was, the waiting requests stay refused. After a sign-in `elsewhere` the question stays.
 */
export async function settleSignIn(question: Question, { elsewhere = false } = {}): Promise<void> {
  const before = queries.getQueryData<MeRecord>(meReadQueryKey())?.id;
  // The plain fetch: a 401 would open the dialog that is open already.
  const { data } = await meRead({ fetch: globalThis.fetch });
  if (data && data.id !== before) await leave('/');
  else if (data || !elsewhere) question.settle(data !== undefined);
}
