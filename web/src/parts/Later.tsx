import { Suspense, useState, type ReactNode } from 'react';
import { ErrorBoundary } from '@/parts/ErrorBoundary';

/** A dialog whose script is loaded when it is opened first. A failure of it leaves the page. */
export function Later({ opened, children }: { opened: boolean; children: ReactNode }) {
  const [isNeeded, setNeeded] = useState(false);
  if (opened && !isNeeded) setNeeded(true);
  if (!isNeeded) return null;
  return (
    <ErrorBoundary>
      <Suspense fallback={null}>{children}</Suspense>
    </ErrorBoundary>
  );
}
