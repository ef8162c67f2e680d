import { useMantineColorScheme } from '@mantine/core';
import { setPreferences } from '@/lib/preferences/preferences';

/** The theme of the person, and how to choose another one. */
export function useTheme(): ['light' | 'dark' | 'auto', (theme: string) => void] {
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const choose = (next: string) => {
    const scheme = next === 'light' || next === 'dark' ? next : 'auto';
    setColorScheme(scheme);
    setPreferences({ theme: scheme === 'auto' ? 'system' : scheme });
  };
  return [colorScheme, choose];
}
