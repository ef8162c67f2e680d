import { isProblem } from '@/lib/requests/problems';

type Zone = { timezone?: string };

/** Sends a new account with the time zone of the browser, and without it where the service does not know the zone. */
export async function withBrowserZone<Answer>(
  send: (zone: Zone) => Promise<Answer>,
  timezone = Intl.DateTimeFormat().resolvedOptions().timeZone,
): Promise<Answer> {
  if (!timezone) return send({});
  try {
    return await send({ timezone });
  } catch (fault) {
    if (isProblem(fault) && fault.errors?.some((each) => each.pointer === '/timezone')) return send({});
    throw fault;
  }
}
