import { useLocation, useSearchParams } from 'wouter';
import type { EventRecord } from '@/api';

/** The event that is open, in the address (`?event=`), so that a link shows it. */
export function useOpenEvent() {
  const [params, setParams] = useSearchParams();
  const open = (id: EventRecord['id'] | null) =>
    setParams(
      (old) => {
        const next = new URLSearchParams(old);
        if (id) next.set('event', id);
        else next.delete('event');
        return next;
      },
      { replace: true },
    );
  return { id: params.get('event') as EventRecord['id'] | null, open };
}

/** The address of an event over the page that shows its row. */
export function useEventAddress(id: EventRecord['id']): string {
  const [path] = useLocation();
  const [params] = useSearchParams();
  const next = new URLSearchParams(params);
  next.set('event', id);
  return `${path}?${next}`;
}
