import type { ViewRecord } from '@/api';
import { areSame, type Names, textOf } from '@/lib/search';
import { TABS } from '@/screens/inbox/tabs';

/** The address of the inbox: the name of the tab, empty for the first one, and the text of the search. */
export type InboxAddress = { state: string; q: string };

type Filters = Readonly<Record<string, unknown>>;

/** Where the inbox shows a view; null for a view that needs a filter or an order which the inbox does not have. */
export function addressOf(filters: Filters, names: Names): InboxAddress | null {
  const { state = [], sort = 'lastSeen', order = 'desc', ...others } = filters;
  if (sort !== 'lastSeen' || order !== 'desc') return null;
  const tab = TABS.findIndex((each) => areSame({ state: each.states }, { state }));
  const q = textOf(others, names);
  return tab < 0 || q === null ? null : { state: tab === 0 ? '' : TABS[tab]!.name, q };
}

/** The view that shows what the inbox shows now. */
export function currentView(views: readonly ViewRecord[], filters: Filters): ViewRecord | undefined {
  const { workspaceId: _, ...now } = filters;
  return views.find((each) => areSame(withoutOrder(each.filters), now));
}

function withoutOrder({ sort, order, ...others }: Filters): Filters {
  return {
    ...others,
    ...(sort === undefined || sort === 'lastSeen' ? {} : { sort }),
    ...(order === undefined || order === 'desc' ? {} : { order }),
  };
}

/** The view that the inbox opens with: a personal one before a shared one. */
export function defaultView(views: readonly ViewRecord[]): ViewRecord | undefined {
  const defaults = views.filter((each) => each.isDefault);
  return defaults.find((each) => !each.shared) ?? defaults[0];
}
