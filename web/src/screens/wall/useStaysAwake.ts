import { useEffect } from 'react';

/** Keeps the screen on while the page is visible, where the browser can. */
export function useStaysAwake(): void {
  useEffect(() => {
    let lock: { release: () => Promise<void> } | undefined;
    const ask = () => {
      if (document.visibilityState !== 'visible') return;
      navigator.wakeLock?.request('screen').then(
        (held) => (lock = held),
        () => undefined, // refused, for example on low battery: the screen may go dark
      );
    };
    ask();
    document.addEventListener('visibilitychange', ask);
    return () => {
      document.removeEventListener('visibilitychange', ask);
      void lock?.release();
    };
  }, []);
}
