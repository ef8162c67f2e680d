import type { ViewRecord } from '@/api';
import { areSame, type Names, textOf } from '@/lib/incidents/search';
import { type Order, sortOf, sortText, type SortName } from '@/screens/inbox/sorts';
import { tabFor, TABS } from '@/screens/inbox/tabs';

/** The address of the inbox: the tab and the sort, each empty for the first one, and the text of the search. */
export type InboxAddress = { state: string; q: string; sort: string };

type Filters = Readonly<Record<string, unknown>>;

/** The address of a view in the inbox; null for a view with a filter or sort that the inbox lacks. */
export function addressOf(filters: Filters, names: Names): InboxAddress | null {
  const { state = [], sort = 'lastSeen', order = 'desc', ...others } = filters;
  const tab = tabFor([state].flat() as string[]);
  const q = textOf(others, names);
  if (tab === undefined || q === null) return null;
  const text = sortText({ name: sort as SortName, order: order as Order }, tab.name);
  if (sortText(sortOf(text, tab.name), tab.name) !== text) return null;
  return { state: tab === TABS[0] ? '' : tab.name, q, sort: text };
}

/** The view that shows what the inbox shows now. */
export function currentView(views: readonly ViewRecord[], filters: Filters): ViewRecord | undefined {
  const { workspaceId: _, ...now } = filters;
  return views.find((each) => areSame(canonical(each.filters), canonical(now)));
}

/** Filters that sort as the list does by itself say nothing of the sort. */
function canonical({ sort = 'lastSeen', order = 'desc', ...others }: Filters): Filters {
  return sort === 'lastSeen' && order === 'desc' ? others : { ...others, sort, order };
}

/** The view that the inbox opens with: a personal one before a shared one. */
export function defaultView(views: readonly ViewRecord[]): ViewRecord | undefined {
  const defaults = views.filter((each) => each.isDefault);
  return defaults.find((each) => !each.shared) ?? defaults[0];
}
