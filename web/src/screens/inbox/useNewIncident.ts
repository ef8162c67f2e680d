import { useEffect, useEffectEvent, useState } from 'react';
import { useSearchParams } from 'wouter';
import { useWorkspace } from '@/lib/session/workspace';

/** The dialog of a new incident. `new` in the address opens it, such as from the palette. */
export function useNewIncident() {
  const { can } = useWorkspace();
  const [params, setParams] = useSearchParams();
  const [isOpen, setOpen] = useState(false);
  const isAllowed = can('member');
  const isAsked = params.has('new');
  const take = useEffectEvent(() => {
    setOpen(isAllowed);
    setParams(withoutNew, { replace: true });
  });
  useEffect(() => {
    if (isAsked) take();
  }, [isAsked]);
  return { isOpen, open: isAllowed ? () => setOpen(true) : null, close: () => setOpen(false) };
}

function withoutNew(old: URLSearchParams): URLSearchParams {
  const next = new URLSearchParams(old);
  next.delete('new');
  return next;
}
