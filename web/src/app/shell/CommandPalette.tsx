import { Button, Kbd } from '@mantine/core';
import { Spotlight, spotlight, type SpotlightActionData } from '@mantine/spotlight';
import { Keyboard, Moon, Search, Sun } from 'lucide-react';
import { useState } from 'react';
import { useLocation } from 'wouter';
import { useTopmost } from '@/lib/keyboard/topmost';
import { useTheme } from '@/lib/preferences/useTheme';
import { useOptionalWorkspace, useSession } from '@/lib/session/workspace';
import { SCREENS } from '@/app/screens';
import classes from '@/app/shell/Shell.module.css';

/** Opens the palette; with its keys on wide screens. */
export function PaletteButton() {
  return (
    <Button
      variant="default"
      onClick={spotlight.open}
      h="var(--target)"
      px={10}
      leftSection={<Search size={15} aria-hidden />}
      classNames={{ section: classes.searchIcon }}
      c="dimmed"
    >
      <span className={`palette-words ${classes.search}`}>
        Go to <Kbd size="xs">Ctrl K</Kbd>
      </span>
    </Button>
  );
}

/** Every screen, workspace and command by name. Escape closes it alone, and not the dialog below it. */
export function CommandPalette({ onHelp }: { onHelp: () => void }) {
  const workspace = useOptionalWorkspace();
  const { me, workspaces } = useSession();
  const [, setTheme] = useTheme();
  const [, navigate] = useLocation();
  const [opened, setOpened] = useState(false);
  useTopmost(opened);
  const screens = SCREENS.filter(
    (screen) => (!screen.instanceAdmin || me.isInstanceAdmin) && (workspace || screen.group === 'own'),
  );
  const actions: SpotlightActionData[] = [
    ...screens.map((screen) => ({
      id: screen.name,
      label: screen.label,
      description: screen.about,
      leftSection: <screen.icon size={18} aria-hidden />,
      onClick: () => navigate(screen.group === 'own' ? `/${screen.name}` : `/w/${workspace?.slug}/${screen.name}`),
    })),
    ...workspaces
      .filter((each) => each.id !== workspace?.id)
      .map((each) => ({
        id: each.id,
        label: each.name,
        description: 'Switch to this workspace',
        onClick: () => navigate(`/w/${each.slug}/inbox`),
      })),
    {
      id: 'light',
      label: 'Light theme',
      leftSection: <Sun size={18} aria-hidden />,
      onClick: () => setTheme('light'),
    },
    {
      id: 'dark',
      label: 'Dark theme',
      leftSection: <Moon size={18} aria-hidden />,
      onClick: () => setTheme('dark'),
    },
    {
      id: 'keys',
      label: 'Keyboard shortcuts',
      description: 'Show all shortcuts',
      leftSection: <Keyboard size={18} aria-hidden />,
      onClick: onHelp,
    },
  ];
  return (
    <Spotlight
      actions={actions}
      shortcut={['mod + K']}
      onSpotlightOpen={() => setOpened(true)}
      onSpotlightClose={() => setOpened(false)}
      nothingFound="No results"
      highlightQuery
      scrollable
      maxHeight={420}
      attributes={{ content: { 'aria-label': 'Screens and commands' } }}
      searchProps={{
        leftSection: <Search size={18} aria-hidden />,
        placeholder: 'Screen, workspace or command',
        'aria-label': 'Search screens and commands',
      }}
    />
  );
}
