import { useMediaQuery } from '@mantine/hooks';

/** Returns whether the window is as narrow as a phone, as `max-width: 48em` in styles. */
export function usePhone(): boolean {
  return useMediaQuery('(max-width: 48em)', false, { getInitialValueInEffect: false });
}
