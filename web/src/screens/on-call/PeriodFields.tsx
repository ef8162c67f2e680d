import { TextInput } from '@mantine/core';

type PeriodForm = { startsAt: string; endsAt: string; reason: string };
type PeriodProps = {
  form: PeriodForm;
  set: (part: Partial<PeriodForm>) => void;
  faults: Readonly<Record<string, string>>;
  /** The start lies in the past and stays. */
  hasBegun?: boolean;
};

/** From when until when, and why. */
export function PeriodFields({ form, set, faults, hasBegun = false }: PeriodProps) {
  return (
    <>
      <TextInput
        label="From"
        type="datetime-local"
        disabled={hasBegun}
        value={form.startsAt}
        onChange={(event) => set({ startsAt: event.currentTarget.value })}
        error={faults.startsAt}
      />
      <TextInput
        label="Until"
        type="datetime-local"
        value={form.endsAt}
        onChange={(event) => set({ endsAt: event.currentTarget.value })}
        error={faults.endsAt}
      />
      <TextInput
        label="Reason"
        description="Optional. Everybody in the workspace can read it."
        maxLength={200}
        value={form.reason}
        onChange={(event) => set({ reason: event.currentTarget.value })}
        error={faults.reason}
      />
    </>
  );
}

/** The reason as a write sends it: none is left out. */
export function reasonOf({ reason }: Pick<PeriodForm, 'reason'>): { reason?: string } {
  return reason.trim() === '' ? {} : { reason: reason.trim() };
}
