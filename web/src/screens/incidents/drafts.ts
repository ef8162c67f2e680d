import type { IncidentRecord } from '@/api';

/** Notes that were not sent, by incident. They last as long as the tab, so that a reload loses none. */
const STORED = 'inbox-note-drafts';
const MOST = 50;

export function draftOf(id: IncidentRecord['id']): string {
  return read().find(([of]) => of === id)?.[1] ?? '';
}

/** Keeps the text for the incident; an empty one is forgotten. */
export function keepDraft(id: IncidentRecord['id'], text: string): void {
  const others = read().filter(([of]) => of !== id);
  const next = text === '' ? others : [...others, [id, text]].slice(-MOST);
  try {
    sessionStorage.setItem(STORED, JSON.stringify(next));
  } catch {
    // A full or blocked store: the note is kept while the incident is shown.
  }
}

function read(): [string, string][] {
  try {
    return JSON.parse(sessionStorage.getItem(STORED) ?? '[]') as [string, string][];
  } catch {
    return [];
  }
}
