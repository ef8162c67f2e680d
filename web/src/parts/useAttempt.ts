import { useState } from 'react';
import { sayFault } from '@/parts/toast';

/** Runs one act at a time; what it throws becomes a toast. `busy` names the act that runs. */
export function useAttempt() {
  const [busy, setBusy] = useState('');
  const attempt = async (name: string, act: () => Promise<void>) => {
    setBusy(name);
    try {
      await act();
    } catch (fault) {
      sayFault(fault);
    } finally {
      setBusy('');
    }
  };
  return { busy, attempt };
}
