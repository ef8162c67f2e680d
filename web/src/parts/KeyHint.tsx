import { Kbd } from '@mantine/core';

/** The key that does the same. A phone has no keys, so it shows none. */
export function KeyHint({ children }: { children: string }) {
  return (
    <Kbd size="xs" visibleFrom="sm">
      {children}
    </Kbd>
  );
}
