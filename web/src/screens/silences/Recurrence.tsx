import { Chip, Group, NumberInput, Select, Stack, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useWorkspace } from '@/lib/session/workspace';
import { ZoneSelect } from '@/parts/ZoneSelect';
import type { SilenceForm } from '@/screens/silences/draft';
import { DAYS, weekdaysOf } from '@/screens/silences/recurrenceText';

type Props = { form: SilenceForm; onChange: (form: SilenceForm) => void; error?: string };

const KINDS = [
  { value: 'no', label: 'Does not repeat' },
  { value: 'daily', label: 'Every day' },
  { value: 'weekly', label: 'On certain weekdays' },
  { value: 'other', label: 'Custom (RRULE)' },
];

function kindOf(recurrence: SilenceForm['recurrence']): string {
  if (recurrence === null) return 'no';
  if (recurrence.rrule === 'FREQ=DAILY') return 'daily';
  return weekdaysOf(recurrence.rrule) ? 'weekly' : 'other';
}

/** Once, or repeatedly between start and end: daily, on days of the week, or by a rule of RFC 5545. */
export function Recurrence({ form, onChange, error }: Props) {
  const { workspace } = useWorkspace();
  const { recurrence } = form;
  // Whoever types a rule keeps the field, also while its text is that of another kind.
  const [isTyped, setTyped] = useState(false);
  const kind = recurrence !== null && isTyped ? 'other' : kindOf(recurrence);
  const days = kind === 'weekly' && recurrence ? weekdaysOf(recurrence.rrule) : undefined;
  const set = (rrule: string) =>
    onChange({ ...form, recurrence: { timezone: workspace.timezone, durationMinutes: 60, ...recurrence, rrule } });
  const choose = (next: string | null) => {
    setTyped(next === 'other');
    if (next === 'no') onChange({ ...form, recurrence: null });
    if (next === 'daily') set('FREQ=DAILY');
    if (next === 'weekly') set('FREQ=WEEKLY;BYDAY=SU');
    if (next === 'other') set('FREQ=MONTHLY;BYMONTHDAY=1');
  };
  return (
    <Stack gap="xs">
      <Select
        label="Recurrence"
        data={KINDS}
        value={kind}
        onChange={choose}
        allowDeselect={false}
        error={recurrence && kind !== 'other' ? error : undefined}
        description={recurrence ? 'Repeats at the start time. Ends after the last repetition.' : undefined}
      />
      {recurrence && days && <Weekdays days={days} set={set} />}
      {recurrence && kind === 'other' && (
        <TextInput
          label="RRULE"
          className="mono"
          value={recurrence.rrule}
          onChange={(event) => {
            setTyped(true);
            set(event.currentTarget.value);
          }}
          error={error}
        />
      )}
      {recurrence && (
        <Group grow align="flex-start">
          <NumberInput
            label="Duration"
            suffix=" min"
            min={1}
            max={44_640}
            allowDecimal={false}
            value={recurrence.durationMinutes}
            onChange={(value) =>
              onChange({ ...form, recurrence: { ...recurrence, durationMinutes: Number(value) || 1 } })
            }
          />
          <ZoneSelect
            value={recurrence.timezone}
            onChange={(timezone) => onChange({ ...form, recurrence: { ...recurrence, timezone } })}
          />
        </Group>
      )}
    </Stack>
  );
}

type WeekdaysProps = {
  days: string[];
  set: (rrule: string) => void;
};

/** The days of a weekly recurrence; at least one is chosen. */
function Weekdays({ days, set }: WeekdaysProps) {
  return (
    <Chip.Group
      multiple
      value={days}
      onChange={(chosen) =>
        chosen.length > 0 &&
        set(
          `FREQ=WEEKLY;BYDAY=${DAYS.map(([day]) => day)
            .filter((day) => chosen.includes(day))
            .join(',')}`,
        )
      }
    >
      <Group gap={6}>
        {DAYS.map(([day, word]) => (
          <Chip key={day} value={day} size="xs" variant="outline">
            {word}
          </Chip>
        ))}
      </Group>
    </Chip.Group>
  );
}
