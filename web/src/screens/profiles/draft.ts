import type { ProfileDraft, ProfileRecord, StepShape } from '@/api';

export type ProfileForm = Required<Pick<ProfileDraft, 'delaySeconds' | 'repeat' | 'quietHours'>> &
  Omit<ProfileDraft, 'delaySeconds' | 'repeat' | 'quietHours'>;

export const NEW_PROFILE: ProfileForm = {
  name: '',
  delaySeconds: 0,
  repeat: 0,
  quietHours: 'inherit',
  steps: [{ afterMinutes: 0, minSeverity: null, destinationIds: [] }],
  renotifyMinutes: null,
  renotifyMax: null,
  ackTimeoutMinutes: null,
  autoResolveMinutes: null,
  reopenWindowMinutes: null,
  fallbackDestinationId: null,
};

export function formOf(profile: ProfileRecord): ProfileForm {
  const {
    name,
    delaySeconds,
    repeat,
    quietHours,
    steps,
    renotifyMinutes,
    renotifyMax,
    ackTimeoutMinutes,
    autoResolveMinutes,
    reopenWindowMinutes,
    fallbackDestinationId,
  } = profile;
  return {
    name,
    delaySeconds,
    repeat,
    quietHours,
    steps,
    renotifyMinutes,
    renotifyMax,
    ackTimeoutMinutes,
    autoResolveMinutes,
    reopenWindowMinutes,
    fallbackDestinationId,
  };
}

/** Returns whether a step names people or destinations. */
export function reaches({ destinationIds, people }: StepShape): boolean {
  return destinationIds.length > 0 || (people ?? []).length > 0;
}

/** What is missing, in words; empty when the form can be sent. */
export function missing(form: ProfileForm): string {
  if (!form.steps.every(reaches)) return 'Choose people or a destination for each step.';
  return form.name.trim() === '' ? 'Enter a name.' : '';
}
