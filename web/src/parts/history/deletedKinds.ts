import * as api from '@/api';
import { refresh } from '@/lib/requests/refresh';

export type DeletedRecord = { id: string; name: string; deletedAt: string | null; restore: () => Promise<void> };

type Query = { workspaceId: api.WorkspaceRecord['id']; deleted: boolean; limit: number };
type Deleted = { id: string; deletedAt: string | null };

type Description<Row extends Deleted> = {
  /** For texts: "rules". */
  nouns: string;
  list: (query: Query) => Promise<{ data: { items: Row[] } }>;
  restore: (row: Row) => Promise<unknown>;
  nameOf: (row: Row) => string;
  /** The operations whose answers change with a restored record. */
  changed: string[];
  /** The parts that a restored record lacks. */
  about?: string;
};

/** The description without the type of its rows: each record has its own way back. */
function described<Row extends Deleted>({ list, restore, nameOf, changed, ...texts }: Description<Row>) {
  const load = async (workspaceId: Query['workspaceId']): Promise<DeletedRecord[]> => {
    const { data } = await list({ workspaceId, deleted: true, limit: 100 });
    return data.items.map((row) => ({
      id: row.id,
      name: nameOf(row),
      deletedAt: row.deletedAt,
      restore: async () => {
        await restore(row);
        void refresh(...changed);
      },
    }));
  };
  return { ...texts, load };
}

const named = ({ name }: { name: string }) => name;
const throwOnError = true as const;

/** Each kind of record that can be restored for seven days. */
export const DELETED_KINDS = {
  destinations: described<api.DestinationRecord>({
    nouns: 'destinations',
    list: (query) => api.destinationsList({ query, throwOnError }),
    restore: ({ id }) => api.destinationsRestore({ path: { deleted_destination_id: id }, throwOnError }),
    nameOf: named,
    changed: ['destinationsList'],
    about: 'A restored destination is in no route, rule or profile. Add it where you need it.',
  }),
  profiles: described<api.ProfileRecord>({
    nouns: 'profiles',
    list: (query) => api.profilesList({ query, throwOnError }),
    restore: ({ id }) => api.versionsRestoreProfile({ path: { deleted_profile_id: id }, throwOnError }),
    nameOf: named,
    changed: ['profilesList', 'profilesRead'],
  }),
  rules: described<api.RuleRecord>({
    nouns: 'rules',
    list: (query) => api.rulesList({ query, throwOnError }),
    restore: ({ id }) => api.versionsRestoreRule({ path: { deleted_rule_id: id }, throwOnError }),
    nameOf: named,
    changed: ['rulesList', 'rulesRead'],
  }),
  schedules: described<api.ScheduleRecord>({
    nouns: 'schedules',
    list: (query) => api.schedulesList({ query, throwOnError }),
    restore: ({ id }) => api.schedulesRestore({ path: { deleted_schedule_id: id }, throwOnError }),
    nameOf: named,
    changed: ['schedulesList', 'schedulesRead', 'shiftsOnCallNow', 'personShiftsList'],
  }),
  silences: described<api.SilenceRecord>({
    nouns: 'silences',
    list: (query) => api.silencesList({ query, throwOnError }),
    restore: ({ id }) => api.silencesRestore({ path: { deleted_silence_id: id }, throwOnError }),
    nameOf: ({ comment }) => comment,
    changed: ['silencesList'],
    about: 'A restored silence keeps its times. If it is active, it silences matching incidents again.',
  }),
  sources: described<api.SourceRecord>({
    nouns: 'sources',
    list: (query) => api.sourcesList({ query, throwOnError }),
    restore: ({ id }) => api.sourcesRestore({ path: { deleted_source_id: id }, throwOnError }),
    nameOf: named,
    changed: ['sourcesList'],
    about: 'The keys of a restored source work again. Add it back to its rules, and create its heartbeats again.',
  }),
  views: described<api.ViewRecord>({
    nouns: 'views',
    list: (query) => api.viewsList({ query, throwOnError }),
    restore: ({ id }) => api.viewsRestore({ path: { deleted_view_id: id }, throwOnError }),
    nameOf: named,
    changed: ['viewsList'],
    about: 'A restored view is not the default view.',
  }),
};

export type DeletedKind = keyof typeof DELETED_KINDS;
