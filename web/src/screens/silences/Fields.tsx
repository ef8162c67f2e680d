import { Button, Group, MultiSelect, Stack, TextInput } from '@mantine/core';
import type { SilenceRecord } from '@/api';
import { useNames } from '@/lib/configuration/names';
import type { FieldFaults } from '@/lib/requests/problems';
import { localOf } from '@/lib/time/localTime';
import { shownZone } from '@/lib/time/time';
import { MatchEditor } from '@/parts/match/MatchEditor';
import { TooCostly } from '@/parts/match/TooCostly';
import { FormSummary } from '@/parts/ProblemAlert';
import { beginOf, ENDS, type SilenceForm } from '@/screens/silences/draft';
import { Recurrence } from '@/screens/silences/Recurrence';

type Props = {
  form: SilenceForm;
  onChange: (form: SilenceForm) => void;
  opened: SilenceRecord | null;
  faults: FieldFaults;
};

/** What a silence covers, when, and why. */
export function Fields({ form, onChange, opened, faults }: Props) {
  const names = useNames();
  return (
    <Stack gap="md">
      <FormSummary faults={faults.rest} />
      <TooCostly record={opened?.tooCostly ?? null} />
      <MatchEditor
        match={form.match}
        onChange={(match) => onChange({ ...form, match })}
        every="Without a condition the silence covers every incident."
        error={faults.fields.match ?? faults.fields.matchText}
      />
      <MultiSelect
        label="Sources"
        data={names.sources}
        value={form.sourceIds}
        searchable
        placeholder={form.sourceIds.length ? undefined : 'All sources'}
        onChange={(sourceIds) => onChange({ ...form, sourceIds })}
        nothingFoundMessage="No source"
      />
      <TextInput
        type="datetime-local"
        label="Start"
        description={`${opened ? '' : 'Leave empty to start now. '}Time zone: ${shownZone()}.`}
        value={form.startsAt}
        onChange={(event) => onChange({ ...form, startsAt: event.currentTarget.value })}
        error={faults.fields.startsAt}
      />
      <div>
        <TextInput
          type="datetime-local"
          label="End"
          required
          value={form.endsAt}
          onChange={(event) => onChange({ ...form, endsAt: event.currentTarget.value })}
          error={faults.fields.endsAt}
        />
        <Group gap={6} mt={6}>
          {ENDS.map((each, index) => (
            <Button
              key={index}
              size="compact-sm"
              variant="default"
              mih="var(--target)"
              onClick={() => onChange({ ...form, endsAt: localOf(each.until(beginOf(form))) })}
            >
              {each.label(beginOf(form))}
            </Button>
          ))}
        </Group>
      </div>
      <Recurrence form={form} onChange={onChange} error={faults.fields['recurrence.rrule']} />
      <TextInput
        label="Reason"
        required
        maxLength={500}
        value={form.comment}
        onChange={(event) => onChange({ ...form, comment: event.currentTarget.value })}
        error={faults.fields.comment}
        placeholder="Database upgrade, OPS-7"
      />
    </Stack>
  );
}
