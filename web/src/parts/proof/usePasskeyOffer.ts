import { useEffect, useRef } from 'react';
import { authPasskey, authPasskeyOptions } from '@/api';
import { canOffer, offeredPasskey, stopOffer } from '@/lib/session/passkey';

/** A challenge counts for five minutes. */
const RENEW_MS = 240_000;

type Handlers = { onSignedIn: () => void; onFault: (fault: unknown) => void };

/**
 * Offers passkeys beside the field of the address, as browsers offer passwords.
 *
 * 1. The offer is made again before its challenge expires. It ends with the form.
 * 2. A refused passkey is reported. An offer that ended is not.
 */
export function usePasskeyOffer(isOffered: boolean, handlers: Handlers): void {
  const current = useRef(handlers);
  current.current = handlers;
  useEffect(() => {
    if (!isOffered) return;
    let isOver = false;
    const make = async () => {
      if (isOver || !(await canOffer())) return;
      const { data } = await authPasskeyOptions();
      if (isOver || !data) return;
      const credential = await offeredPasskey(data.options).catch(() => null);
      if (isOver || credential === null) return;
      await authPasskey({ body: { challenge: data.challenge, credential }, throwOnError: true });
      current.current.onSignedIn();
    };
    const offer = () => void make().catch((fault: unknown) => current.current.onFault(fault));
    offer();
    const timer = setInterval(offer, RENEW_MS);
    return () => {
      isOver = true;
      clearInterval(timer);
      stopOffer();
    };
  }, [isOffered]);
}
