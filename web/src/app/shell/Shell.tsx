import { AppShell, Burger, Group } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { lazy, useEffect, type ReactNode } from 'react';
import { useLocation } from 'wouter';
import type { WorkspaceRecord } from '@/api';
import { listenToKeys, useKeys } from '@/lib/keyboard/keys';
import { usePhone } from '@/lib/navigation/usePhone';
import { useOptionalWorkspace } from '@/lib/session/workspace';
import { Later } from '@/parts/Later';
import { undoLast } from '@/parts/toast';
import { ConnectionBar, ConnectionDot } from '@/live/ConnectionState';
import { SCREENS } from '@/app/screens';
import { AccountMenu } from '@/app/shell/AccountMenu';
import { BottomBar } from '@/app/shell/BottomBar';
import { useOpenCount } from '@/app/shell/counts';
import { FailingDestinations } from '@/app/shell/FailingDestinations';
import { HelpMenu } from '@/app/shell/HelpMenu';
import { Navigation } from '@/app/shell/Navigation';
import { OnCallState } from '@/app/shell/OnCallState';
import { usePalette } from '@/app/shell/palette';
import { PaletteButton } from '@/app/shell/PaletteButton';
import { QuietHours } from '@/app/shell/QuietHours';
import { Warnings } from '@/app/shell/Warnings';
import { WorkspaceSwitcher } from '@/app/shell/WorkspaceSwitcher';

const CommandPalette = lazy(() => import('@/app/shell/CommandPalette'));
const KeysHelp = lazy(() => import('@/app/shell/KeysHelp'));
const NavigationDrawer = lazy(() => import('@/app/shell/NavigationDrawer'));

/** The frame: navigation at the left, a header, and on a phone a bar at the bottom with a drawer for the rest. */
export function Shell({ active, children }: { active: string; children: ReactNode }) {
  const [open, drawer] = useDisclosure(false);
  const { close: closeDrawer } = drawer;
  const [help, helpDialog] = useDisclosure(false);
  const palette = usePalette();
  const isPhone = usePhone();
  const workspace = useOptionalWorkspace();
  const [path, navigate] = useLocation();
  useOpenCount(workspace?.id);
  useEffect(() => listenToKeys(), []);
  useEffect(() => closeDrawer(), [path, closeDrawer]);
  const go = SCREENS.filter((screen) => screen.key && workspace);
  useKeys(
    'Go to',
    go.map((screen) => ({
      keys: `g ${screen.key}`,
      label: screen.label,
      run: () => navigate(`/w/${workspace?.slug}/${screen.name}`),
    })),
  );
  useKeys('Everywhere', [
    { keys: '?', label: 'Show keyboard shortcuts', run: helpDialog.open },
    { keys: 'z', label: 'Undo the last action', run: undoLast },
  ]);
  return (
    <AppShell
      header={{ height: 52 }}
      navbar={{ width: 220, breakpoint: 'sm', collapsed: { mobile: true } }}
      padding={0}
      transitionDuration={0}
      footer={{ height: isPhone ? 'calc(56px + env(safe-area-inset-bottom))' : 0 }}
    >
      <a className="skip" href="#content">
        Skip to content
      </a>
      <Header open={open} drawer={drawer} workspace={workspace} helpDialog={helpDialog} isPhone={isPhone} />
      <AppShell.Navbar aria-label="Main">
        <Navigation active={active} />
      </AppShell.Navbar>
      <Later opened={open}>
        <NavigationDrawer opened={open} onClose={drawer.close} active={active} />
      </Later>
      <AppShell.Main id="content">
        <ConnectionBar />
        <Warnings active={active} />
        {children}
        {workspace && <FailingDestinations key={workspace.id} workspace={workspace} />}
      </AppShell.Main>
      {isPhone && <BottomBar active={active} onMore={drawer.open} />}
      <Later opened={palette}>
        <CommandPalette opened={palette} onHelp={helpDialog.open} />
      </Later>
      <Later opened={help}>
        <KeysHelp opened={help} onClose={helpDialog.close} />
      </Later>
    </AppShell>
  );
}

type HeaderProps = {
  open: boolean;
  drawer: { toggle: () => void };
  workspace: WorkspaceRecord | null;
  helpDialog: { open: () => void };
  isPhone: boolean;
};

function Header({ open, drawer, workspace, helpDialog, isPhone }: HeaderProps) {
  return (
    <AppShell.Header px="sm">
      <Group h="100%" justify="space-between" wrap="nowrap" gap="xs">
        <Group gap="xs" wrap="nowrap" miw={0}>
          <Burger
            opened={open}
            onClick={drawer.toggle}
            hiddenFrom="sm"
            size="sm"
            aria-label="Navigation"
            w={44}
            h={44}
          />
          <WorkspaceSwitcher />
        </Group>
        <Group gap={4} wrap="nowrap">
          <QuietHours quiet={workspace?.quiet} />
          {workspace && <OnCallState key={workspace.id} workspace={workspace} />}
          <PaletteButton />
          <ConnectionDot />
          {!isPhone && <HelpMenu onHelp={helpDialog.open} />}
          <AccountMenu onHelp={helpDialog.open} />
        </Group>
      </Group>
    </AppShell.Header>
  );
}
