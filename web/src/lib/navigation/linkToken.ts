import { useEffect, useState } from 'react';

/** The token of a link: it stands behind the `#`, which browsers send to nobody. It leaves the address at once. */
export function useLinkToken(): string {
  const [token] = useState(() => new URLSearchParams(location.hash.slice(1)).get('token') ?? '');
  useEffect(() => {
    if (location.hash) history.replaceState(null, '', location.pathname + location.search);
  }, []);
  return token;
}
