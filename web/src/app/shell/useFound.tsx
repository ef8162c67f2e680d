import { keepPreviousData, useQuery } from '@tanstack/react-query';
import {
  BellOff,
  CalendarClock,
  HeartPulse,
  MonitorCheck,
  Radio,
  Send,
  Split,
  UserRound,
  Waypoints,
  type LucideIcon,
} from 'lucide-react';
import { useLocation } from 'wouter';
import {
  destinationsList,
  heartbeatMonitorsList,
  type IncidentRecord,
  membersList,
  profilesList,
  rulesList,
  schedulesList,
  silencesList,
  sourcesList,
  watchersList,
  type WorkspaceRecord,
} from '@/api';
import { incidentsListOptions } from '@/api/@tanstack/react-query.gen';
import { useOptionalWorkspace } from '@/lib/session/workspace';
import { STATE_WORD } from '@/lib/words/words';
import { SeverityIcon } from '@/parts/SeverityBadge';
import type { Hit } from '@/app/shell/useCommands';

const INCIDENTS = 6;
const OF_EACH = 3;
const FRESH = 30_000;

type Asked = { workspaceId: WorkspaceRecord['id']; q: string };
type Named = { name: string; path: string };
type Kind = { noun: string; icon: LucideIcon; read: (asked: Asked) => Promise<Named[]> };

const FIRST_NAMES = { limit: OF_EACH, sort: 'name', order: 'asc' } as const;
const ANSWER = { throwOnError: true } as const;

/** Each kind of record: its list by name, and the address of one. */
const KINDS: readonly Kind[] = [
  { noun: 'Source', icon: Radio, read: listOf((query) => sourcesList({ query, ...ANSWER }), 'sources/') },
  { noun: 'Rule', icon: Split, read: listOf((query) => rulesList({ query, ...ANSWER }), 'rules/') },
  {
    noun: 'Destination',
    icon: Send,
    read: listOf((query) => destinationsList({ query, ...ANSWER }), 'destinations?edit='),
  },
  { noun: 'Schedule', icon: CalendarClock, read: listOf((query) => schedulesList({ query, ...ANSWER }), 'on-call/') },
  { noun: 'Profile', icon: Waypoints, read: listOf((query) => profilesList({ query, ...ANSWER }), 'profiles/') },
  {
    noun: 'Heartbeat',
    icon: HeartPulse,
    read: listOf((query) => heartbeatMonitorsList({ query, ...ANSWER }), 'heartbeats/'),
  },
  { noun: 'Watcher', icon: MonitorCheck, read: listOf((query) => watchersList({ query, ...ANSWER }), 'watchers/') },
  {
    noun: 'Silence',
    icon: BellOff,
    read: async (asked) => {
      const { data } = await silencesList({ query: { ...asked, limit: OF_EACH }, ...ANSWER });
      return data.items.map((each) => ({ name: each.comment || 'Without a comment', path: `silences/${each.id}` }));
    },
  },
  {
    noun: 'Member',
    icon: UserRound,
    read: async ({ workspaceId, q }) => {
      const { data } = await membersList({
        path: { workspace_id: workspaceId },
        query: { q, limit: OF_EACH },
        ...ANSWER,
      });
      return data.items.map((each) => ({ name: each.name, path: 'members' }));
    },
  },
];

type ByName = Asked & typeof FIRST_NAMES;

function listOf(
  read: (query: ByName) => Promise<{ data: { items: { id: string; name: string }[] } }>,
  path: string,
): Kind['read'] {
  return async (asked) => {
    const { data } = await read({ ...asked, ...FIRST_NAMES });
    return data.items.map((each) => ({ name: each.name, path: path + each.id }));
  };
}

/** The incidents and records of the workspace whose number, title or name has the text. Each kind is asked for few. */
export function useFound(text: string): { incidents: Hit[]; records: Hit[]; isReading: boolean } {
  const workspace = useOptionalWorkspace();
  const [, navigate] = useLocation();
  const isAsked = workspace !== null && text !== '';
  const go = (path: string) => navigate(`/w/${workspace?.slug}/${path}`);
  const q = text.replace(/^#(?=\d+$)/, '');
  const workspaceId = workspace?.id;
  const options = { enabled: isAsked, placeholderData: keepPreviousData, staleTime: FRESH };
  const incidents = useQuery({ ...incidentsListOptions({ query: { workspaceId, q, limit: INCIDENTS } }), ...options });
  const records = useQuery({
    queryKey: ['found', workspaceId, q],
    queryFn: () => Promise.all(KINDS.map((kind) => kind.read({ workspaceId: workspaceId!, q }))),
    ...options,
  });
  if (!isAsked) return { incidents: [], records: [], isReading: false };
  return {
    incidents: ordered(incidents.data?.items ?? [], q).map((each) => ({
      id: each.id,
      label: each.title,
      about: `#${each.number} · ${STATE_WORD[each.state]} · ${each.sourceName}`,
      icon: <SeverityIcon severity={each.severity} />,
      run: () => go(`incidents/${each.id}`),
    })),
    records: KINDS.flatMap((kind, place) =>
      (records.data?.[place] ?? []).map(({ name, path }) => ({
        id: `${kind.noun} ${path} ${name}`,
        label: name,
        about: kind.noun,
        icon: <kind.icon size={18} aria-hidden />,
        run: () => go(path),
      })),
    ),
    isReading: incidents.isFetching || records.isFetching,
  };
}

/** The incident with exactly this number first, then those that are unresolved. */
function ordered(found: readonly IncidentRecord[], text: string): IncidentRecord[] {
  const rank = (each: IncidentRecord) => (String(each.number) === text ? 0 : each.state === 'resolved' ? 2 : 1);
  return [...found].sort((one, other) => rank(one) - rank(other));
}
