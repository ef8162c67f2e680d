import { Button, Kbd } from '@mantine/core';
import { Search } from 'lucide-react';
import { showPalette } from '@/app/shell/palette';
import classes from '@/app/shell/Shell.module.css';

/** Opens the palette; with its keys on wide screens. */
export function PaletteButton() {
  return (
    <Button
      variant="default"
      onClick={() => showPalette(true)}
      h="var(--target)"
      px={10}
      leftSection={<Search size={15} aria-hidden />}
      classNames={{ section: classes.searchIcon }}
      c="dimmed"
    >
      <span className={`palette-words ${classes.search}`}>
        Search or jump to… <Kbd size="xs">Ctrl K</Kbd>
      </span>
    </Button>
  );
}
