import { ArrowRightLeft, CornerDownLeft, Keyboard, Moon, Plus, Sun } from 'lucide-react';
import type { ReactNode } from 'react';
import { useLocation } from 'wouter';
import { useKeyGroups } from '@/lib/keyboard/keys';
import { useTheme } from '@/lib/preferences/useTheme';
import { useOptionalWorkspace, useSession } from '@/lib/session/workspace';
import { matching } from '@/app/shell/matching';
import { SCREENS } from '@/app/screens';

/** What the palette offers: a record, a screen or a command. */
export type Hit = { id: string; label: string; about?: string; icon?: ReactNode; keys?: string; run: () => void };

const SIZE = 18;
const NEW: readonly { label: string; path: string; role: 'member' | 'admin' }[] = [
  { label: 'New incident', path: 'inbox?new=', role: 'member' },
  { label: 'New silence', path: 'silences/new', role: 'member' },
  { label: 'New rule', path: 'rules/new', role: 'admin' },
  { label: 'New profile', path: 'profiles/new', role: 'admin' },
  { label: 'New source', path: 'sources?new=', role: 'admin' },
  { label: 'New destination', path: 'destinations?new=', role: 'admin' },
  { label: 'New schedule', path: 'on-call/new', role: 'admin' },
  { label: 'New heartbeat', path: 'heartbeats/new', role: 'admin' },
];

/** Screens, acts of the open screen, new records, workspaces and settings of the page, by a text. */
export function useCommands(text: string, onHelp: () => void): Hit[] {
  const workspace = useOptionalWorkspace();
  const { me, workspaces } = useSession();
  const [, setTheme] = useTheme();
  const [, navigate] = useLocation();
  const groups = useKeyGroups();
  const can = (role: 'member' | 'admin') => workspace !== null && RANK.indexOf(workspace.role) >= RANK.indexOf(role);
  const acts = groups
    .filter((group) => group.title !== 'Go to')
    .flatMap((group) => group.acts.map((act) => ({ ...act, title: group.title })));
  const screens = SCREENS.filter(
    (screen) => (!screen.instanceAdmin || me.isInstanceAdmin) && (workspace || screen.group === 'own'),
  ).map((screen) => ({
    id: screen.name,
    label: screen.label,
    about: screen.about,
    icon: <screen.icon size={SIZE} aria-hidden />,
    keys: screen.key && `g ${screen.key}`,
    run: () => navigate(screen.group === 'own' ? `/${screen.name}` : `/w/${workspace?.slug}/${screen.name}`),
  }));
  const others: Hit[] = [
    ...acts.map((act) => ({
      id: `act ${act.title} ${act.keys}`,
      label: act.label,
      about: act.title,
      icon: <CornerDownLeft size={SIZE} aria-hidden />,
      keys: act.keys,
      run: act.run,
    })),
    ...NEW.filter((each) => can(each.role)).map((each) => ({
      id: each.path,
      label: each.label,
      icon: <Plus size={SIZE} aria-hidden />,
      run: () => navigate(`/w/${workspace?.slug}/${each.path}`),
    })),
    ...workspaces
      .filter((each) => each.id !== workspace?.id)
      .map((each) => ({
        id: each.id,
        label: each.name,
        about: 'Switch to this workspace',
        icon: <ArrowRightLeft size={SIZE} aria-hidden />,
        run: () => navigate(`/w/${each.slug}/inbox`),
      })),
    { id: 'light', label: 'Light theme', icon: <Sun size={SIZE} aria-hidden />, run: () => setTheme('light') },
    { id: 'dark', label: 'Dark theme', icon: <Moon size={SIZE} aria-hidden />, run: () => setTheme('dark') },
    {
      id: 'keys',
      label: 'Keyboard shortcuts',
      about: 'Show all shortcuts',
      icon: <Keyboard size={SIZE} aria-hidden />,
      run: onHelp,
    },
  ];
  return text === '' ? screens : matching([...screens, ...others], text);
}

const RANK = ['viewer', 'member', 'admin', 'owner'];
