import { lazy } from 'react';
import {
  Activity,
  BellOff,
  CalendarClock,
  ChartNoAxesColumn,
  Cog,
  HeartPulse,
  Inbox,
  KeyRound,
  ListTree,
  Monitor,
  MonitorCheck,
  Radio,
  ScrollText,
  Send,
  Server,
  Split,
  Truck,
  UserRound,
  Users,
  Waypoints,
} from 'lucide-react';
import type { Screen, ScreenComponent, ScreenProps } from '@/lib/navigation/screen';

export const SCREENS: readonly Screen[] = [
  { name: 'inbox', label: 'Inbox', icon: Inbox, group: 'work', key: 'i', about: 'Incidents that need attention.' },
  {
    name: 'events',
    label: 'Events',
    icon: ListTree,
    group: 'work',
    key: 'e',
    about: 'Every accepted event and how it was routed.',
  },
  {
    name: 'on-call',
    label: 'On call',
    icon: CalendarClock,
    group: 'work',
    key: 'o',
    about: 'Who is on call now and next, schedules and their shifts.',
    words: ['new'],
  },
  {
    name: 'sources',
    label: 'Sources',
    icon: Radio,
    group: 'configure',
    key: 's',
    about: 'Event senders, their keys and how to send.',
    words: ['import'],
  },
  {
    name: 'keys',
    label: 'Source keys',
    icon: KeyRound,
    group: 'configure',
    key: 'k',
    about: 'All source keys of this workspace.',
  },
  {
    name: 'rules',
    label: 'Rules',
    icon: Split,
    group: 'configure',
    key: 'r',
    about: 'Which events become incidents, and who is notified.',
    words: ['new', 'default'],
  },
  {
    name: 'profiles',
    label: 'Profiles',
    icon: Waypoints,
    group: 'configure',
    key: 'p',
    about: 'Notification steps, repeats and timeouts.',
    words: ['new'],
  },
  {
    name: 'silences',
    label: 'Silences',
    icon: BellOff,
    group: 'configure',
    key: 'l',
    about: 'Periods when matching incidents send no notifications.',
    words: ['new'],
  },
  {
    name: 'destinations',
    label: 'Destinations',
    icon: Send,
    group: 'configure',
    key: 'd',
    about: 'Where notifications go, with health and tests.',
  },
  {
    name: 'heartbeats',
    label: 'Heartbeats',
    icon: HeartPulse,
    group: 'configure',
    key: 'h',
    about: 'Jobs that must ping on time, and their last runs.',
    words: ['new'],
  },
  {
    name: 'watchers',
    label: 'Watchers',
    icon: MonitorCheck,
    group: 'configure',
    key: 'w',
    about: 'Hosts that check in, and the state of their disks and services.',
    words: [],
  },
  {
    name: 'deliveries',
    label: 'Deliveries',
    icon: Truck,
    group: 'insight',
    key: 'v',
    about: 'Every notification to every destination, with its attempts.',
    words: [],
  },
  {
    name: 'statistics',
    label: 'Statistics',
    icon: ChartNoAxesColumn,
    group: 'insight',
    key: 't',
    about: 'Incidents, time to acknowledge and resolve, noisy sources.',
  },
  {
    name: 'wall',
    label: 'Wall display',
    icon: Monitor,
    group: 'insight',
    about: 'Open incidents in large type, for a screen on a wall.',
    isBare: true,
  },
  {
    name: 'members',
    label: 'Members',
    icon: Users,
    group: 'workspace',
    key: 'm',
    about: 'People in this workspace, their roles and invites.',
  },
  {
    name: 'audit',
    label: 'Audit',
    icon: ScrollText,
    group: 'workspace',
    key: 'a',
    about: 'Who changed what, and when.',
  },
  {
    name: 'settings',
    label: 'Settings',
    icon: Cog,
    group: 'workspace',
    key: ',',
    about: 'Workspace name, time zone, defaults, quiet hours and retention.',
  },
  {
    name: 'account',
    label: 'Account',
    icon: UserRound,
    group: 'own',
    about: 'Your name, password, second factors, sessions and devices.',
  },
  {
    name: 'admin',
    label: 'Instance',
    icon: Server,
    group: 'own',
    about: 'People, workspaces and system status of this instance.',
    instanceAdmin: true,
  },
];

/** Screens without a place in the navigation. */
export const OTHER_SCREENS: readonly Screen[] = [
  { name: 'incidents', label: 'Incident', icon: Activity, group: 'work', about: 'One incident.', words: [] },
  { name: 'setup', label: 'Setup', icon: Cog, group: 'own', about: 'The first account of this instance.' },
  { name: 'login', label: 'Sign in', icon: UserRound, group: 'own', about: 'Sign in.' },
  {
    name: 'forgot',
    label: 'Forgotten password',
    icon: UserRound,
    group: 'own',
    about: 'Request a password reset link.',
  },
  {
    name: 'reset',
    label: 'New password',
    icon: UserRound,
    group: 'own',
    about: 'Choose a new password with the link from your mail.',
  },
  { name: 'signup', label: 'Sign up', icon: UserRound, group: 'own', about: 'Create an account.' },
  { name: 'invite', label: 'Invite', icon: Users, group: 'own', about: 'Join a workspace.' },
  {
    name: 'verify-email',
    label: 'Confirm your address',
    icon: UserRound,
    group: 'own',
    about: 'Confirm the address of a new account.',
  },
  {
    name: 'email-change',
    label: 'New email address',
    icon: UserRound,
    group: 'own',
    about: 'Confirm your new address.',
  },
  { name: 'pair', label: 'Pair a phone', icon: UserRound, group: 'own', about: 'Pair this phone with your account.' },
  { name: 'welcome', label: 'Welcome', icon: Inbox, group: 'own', about: 'Send an event, get notified, resolve.' },
  { name: 'docs', label: 'API reference', icon: ScrollText, group: 'own', about: 'All operations of the API.' },
];

const folders = import.meta.glob<{ default: (props: ScreenProps) => React.ReactNode }>('../screens/*/index.tsx');
const components = new Map<string, ScreenComponent>();

/** The component of a screen, in a separate chunk; null while its folder does not exist. */
export function componentOf(name: string): ScreenComponent | null {
  const load = folders[`../screens/${name}/index.tsx`];
  if (!load) return null;
  const component = components.get(name) ?? lazy(load);
  components.set(name, component);
  return component;
}

export function screenNamed(name: string): Screen | undefined {
  return [...SCREENS, ...OTHER_SCREENS].find((screen) => screen.name === name);
}
