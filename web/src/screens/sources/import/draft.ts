import type { ImportDraft, ImportKindRecord } from '@/api';

/** What a person entered: the kind, and one of its forms. The token lives here alone, until the screen closes. */
export type Draft = {
  kind: string;
  form: 'address' | 'document' | 'file';
  document: string;
  file: { name: string; content: string } | null;
  address: string;
  token: string;
  timezone: string;
  hasUserField: boolean;
};

export const LARGEST_FILE = 3 * 1024 * 1024;

/** An empty draft of a kind, in the first of its forms. */
export function draftOf(kind: ImportKindRecord, timezone: string): Draft {
  return {
    kind: kind.kind,
    form: kind.forms[0] ?? 'document',
    document: '',
    file: null,
    address: kind.defaultAddress,
    token: '',
    timezone,
    hasUserField: false,
  };
}

/** The request of a draft: only the form that was chosen, and the options of a crontab. */
export function bodyOf(draft: Draft, kind: ImportKindRecord, workspaceId: ImportDraft['workspaceId']): ImportDraft {
  const options = kind.hasSchedules ? { timezone: draft.timezone, hasUserField: draft.hasUserField } : {};
  const base = { workspaceId, kind: draft.kind as ImportDraft['kind'], ...options };
  if (draft.form === 'document') return { ...base, document: draft.document };
  if (draft.form === 'file') return { ...base, file: draft.file?.content };
  return { ...base, address: draft.address.trim(), ...(draft.token ? { token: draft.token } : {}) };
}

/** Whether the chosen form is filled in. */
export function isComplete(draft: Draft): boolean {
  if (draft.form === 'document') return draft.document.trim() !== '';
  return draft.form === 'file' ? draft.file !== null : draft.address.trim() !== '';
}

/** Bytes in base64, in pieces that a call of a function can take. */
export function base64(bytes: Uint8Array): string {
  const piece = 0x8000;
  let text = '';
  for (let at = 0; at < bytes.length; at += piece) text += String.fromCharCode(...bytes.subarray(at, at + piece));
  return btoa(text);
}
