import type { SilenceNew, SilenceRecord } from '@/api';
import { isMoment, localOf, momentOf } from '@/lib/time/localTime';
import { SNOOZES } from '@/lib/time/snooze';
import { isComplete, type Match, matchOf, requestOf } from '@/parts/match/tree';

export type SilenceForm = {
  match: Match;
  sourceIds: string[];
  comment: string;
  startsAt: string;
  endsAt: string;
  recurrence: SilenceRecord['recurrence'];
};

/** The choices of "until when"; the last one asks for a date. */
export const ENDS: readonly { label: (from: Date) => string; until: (from: Date) => Date }[] = [
  { label: () => '30 min', until: (from) => new Date(from.getTime() + 30 * 60_000) },
  ...SNOOZES.slice(1),
  { label: () => '1 week', until: (from) => new Date(from.getTime() + 7 * 86_400_000) },
];

/** A new silence; the address may carry the match, the sources and the comment. */
export function newForm(params: URLSearchParams): SilenceForm {
  const text = params.get('match');
  return {
    match: text ? { text } : { simple: { join: 'all', clauses: [{ field: 'resource', op: 'eq', value: '' }] } },
    sourceIds: params.get('sources')?.split(',').filter(Boolean) ?? [],
    comment: params.get('comment') ?? '',
    startsAt: '',
    endsAt: localOf(new Date(Date.now() + 3_600_000)),
    recurrence: null,
  };
}

export function formOf(silence: SilenceRecord): SilenceForm {
  const { sourceIds, comment, recurrence } = silence;
  return {
    match: matchOf(silence),
    sourceIds,
    comment,
    recurrence,
    startsAt: localOf(new Date(silence.startsAt)),
    endsAt: localOf(new Date(silence.endsAt)),
  };
}

/** When the silence of the form would begin, if it were sent now. */
export function beginOf({ startsAt }: SilenceForm): Date {
  return isMoment(startsAt) ? momentOf(startsAt) : new Date();
}

/** What a write sends. The form must be complete: `missing` says what is not. */
export function bodyOf(form: SilenceForm): Omit<SilenceNew, 'workspaceId'> {
  return {
    ...requestOf(form.match),
    sourceIds: form.sourceIds as SilenceNew['sourceIds'],
    comment: form.comment.trim(),
    ...(form.startsAt ? { startsAt: momentOf(form.startsAt).toISOString() } : {}),
    endsAt: momentOf(form.endsAt).toISOString(),
    recurrence: form.recurrence,
  };
}

/** What is missing, in words; empty when the form can be sent. */
export function missing(form: SilenceForm): string {
  if (!isComplete(form.match)) return 'Complete each condition.';
  if (form.comment.trim() === '') return 'Enter a reason.';
  if (form.startsAt !== '' && !isMoment(form.startsAt)) return 'Choose another start.';
  return isMoment(form.endsAt) ? '' : 'Choose an end.';
}

/** Whether the silence hides every incident of the workspace. */
export function coversAll({ match, sourceIds }: SilenceForm): boolean {
  return 'simple' in match && match.simple.clauses.length === 0 && sourceIds.length === 0;
}
