import { useQuery } from '@tanstack/react-query';
import type { DeviceRecord } from '@/api';
import { devicesListOptions } from '@/api/@tanstack/react-query.gen';
import { auth } from '@/lib/session/identity';

/** The paired device that this browser is; undefined until it is read, and in other browsers. */
export function useThisDevice(): DeviceRecord | undefined {
  const { data } = useQuery({
    ...devicesListOptions({ query: { limit: 200 } }),
    enabled: auth().kind === 'device',
    staleTime: 60_000,
  });
  return data?.items.find((each) => each.current);
}
