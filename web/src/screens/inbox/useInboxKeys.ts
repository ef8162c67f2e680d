import type { RefObject } from 'react';
import { useLocation } from 'wouter';
import type { IncidentRecord } from '@/api';
import type { Act } from '@/lib/incidents/act';
import { MOST_LIKE, silenceLike } from '@/lib/incidents/silenceLike';
import { useKeys } from '@/lib/keyboard/keys';
import { useWorkspace } from '@/lib/session/workspace';
import { snoozeKeys } from '@/lib/time/snooze';
import { perform } from '@/live/acts';
import type { Bulk } from '@/screens/inbox/useBulk';
import type { useCursor } from '@/screens/inbox/useCursor';
import type { FilterPanel } from '@/screens/inbox/useFilterPanel';

type Of = {
  shown: readonly IncidentRecord[];
  selected: ReadonlySet<string>;
  toggle: (id: string, range?: boolean) => void;
  clear: () => void;
  cursor: ReturnType<typeof useCursor>;
  bulk: Bulk;
  field: RefObject<HTMLInputElement | null>;
  panel: FilterPanel;
  /** Opens the dialog of a new incident; null: the person may open none. */
  onNew: (() => void) | null;
};

/** The keys of the inbox. An act concerns the selected incidents, or else the focused one. */
export function useInboxKeys({ shown, selected, toggle, clear, cursor, bulk, field, panel, onNew }: Of): void {
  const { href, can } = useWorkspace();
  const [, navigate] = useLocation();
  const mayAct = can('member');
  const focused = () => shown.filter((each) => each.id === cursor.current());
  const act = (what: Act) => {
    if (!mayAct) return;
    if (selected.size > 0) return void bulk.run(what);
    const targets = focused();
    if (targets.length > 0) cursor.move(1);
    void perform(targets, what);
  };
  const withFocused = (run: (id: string) => void) => () => {
    const id = cursor.current();
    if (id !== null) run(id);
  };
  const silence = () => {
    const chosen = selected.size > 0 ? bulk.incidents : focused();
    const incidents = chosen.filter((each) => each.state !== 'resolved');
    if (mayAct && bulk.all === null && incidents.length > 0)
      navigate(href(silenceLike(...incidents.slice(0, MOST_LIKE))));
  };
  useKeys('Inbox', [
    { keys: 'j', label: 'Next', run: () => cursor.move(1) },
    { keys: 'k', label: 'Previous', run: () => cursor.move(-1) },
    { keys: 'o', label: 'Open', run: withFocused((id) => navigate(href(`incidents/${id}`))) },
    { keys: 'x', label: 'Select', run: withFocused((id) => toggle(id)) },
    { keys: 'X', label: 'Select up to here', run: withFocused((id) => toggle(id, true)) },
    { keys: 'a', label: 'Acknowledge', run: () => act({ action: 'acknowledge' }) },
    { keys: 't', label: 'Take', run: () => act({ action: 'take' }) },
    ...snoozeKeys((until) => act({ action: 'snooze', until })),
    { keys: 'r', label: 'Resolve', run: () => act({ action: 'resolve' }) },
    { keys: 'm', label: 'Silence similar', run: silence },
    ...(onNew ? [{ keys: 'c', label: 'New incident', run: onNew }] : []),
    { keys: '/', label: 'Search', run: () => field.current?.focus() },
    { keys: 'f', label: 'Show or hide the filters', run: panel.toggle },
    { keys: 'Escape', label: 'Clear the selection', run: clear },
  ]);
}
