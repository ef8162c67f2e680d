import type { OverrideEdit, OverrideRecord } from '@/api';
import { isMoment, localOf, momentOf } from '@/lib/time/localTime';

export type OverrideForm = { userIds: string[]; startsAt: string; endsAt: string; reason: string };

/** The fields of an override as a person edits them. */
export function formOf({ userIds, startsAt, endsAt, reason }: OverrideRecord): OverrideForm {
  return { userIds, startsAt: localOf(new Date(startsAt)), endsAt: localOf(new Date(endsAt)), reason };
}

export function isComplete({ startsAt, endsAt }: OverrideForm): boolean {
  return isMoment(startsAt) && isMoment(endsAt);
}

/** What a write sends: only the fields that differ, because one that has begun keeps its people and its start. */
export function changedFields(opened: OverrideForm, form: OverrideForm): OverrideEdit {
  const sent: OverrideEdit = {};
  if (form.userIds.join() !== opened.userIds.join())
    sent.userIds = form.userIds as NonNullable<OverrideEdit['userIds']>;
  if (form.startsAt !== opened.startsAt && isMoment(form.startsAt)) sent.startsAt = instant(form.startsAt);
  if (form.endsAt !== opened.endsAt && isMoment(form.endsAt)) sent.endsAt = instant(form.endsAt);
  if (form.reason.trim() !== opened.reason) sent.reason = form.reason.trim();
  return sent;
}

function instant(field: string): string {
  return momentOf(field).toISOString();
}
