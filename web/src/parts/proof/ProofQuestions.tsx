import { lazy, Suspense, useEffect, useState } from 'react';
import { useQuestion } from '@/lib/session/proof';

const load = () => import('@/parts/proof/ProofDialogs');
const ProofDialogs = lazy(load);
const LATER = 10_000;

/**
 * The dialogs that ask for a proof. Their script is loaded with the first question, or some seconds after the page: a question may
 * come when the service has a newer build, without these files.
 */
export function ProofQuestions() {
  const isAsked = useQuestion() !== null;
  const [isNeeded, setNeeded] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => void load().catch(() => undefined), LATER);
    return () => clearTimeout(timer);
  }, []);
  if (isAsked && !isNeeded) setNeeded(true);
  return <Suspense fallback={null}>{isNeeded && <ProofDialogs />}</Suspense>;
}
