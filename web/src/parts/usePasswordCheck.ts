import { useDebouncedValue } from '@mantine/hooks';
import { useEffect, useState } from 'react';
import { authCheckPassword } from '@/api';

const PAUSE = 500;

/**
 * Why the service would refuse this password, asked when the typing pauses; null: it would not, or nobody knows yet. The
 * password is in no cache of queries, where it would outlive the form.
 */
export function usePasswordCheck(password: string, email: string, isLongEnough: boolean): string | null {
  const [settled] = useDebouncedValue(password, PAUSE);
  const [found, setFound] = useState<{ password: string; detail: string | null } | null>(null);
  useEffect(() => {
    if (!isLongEnough || settled !== password) return;
    const controller = new AbortController();
    const { signal } = controller;
    authCheckPassword({ body: { password: settled, email }, signal, throwOnError: true })
      .then(({ data }) => setFound({ password: settled, detail: data.detail }))
      .catch(() => undefined); // the form itself says what is wrong
    return () => controller.abort();
  }, [settled, email, isLongEnough, password]);
  return found?.password === password ? found.detail : null;
}
