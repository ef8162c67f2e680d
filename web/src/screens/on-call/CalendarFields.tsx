import { SegmentedControl, Stack, Text, TextInput } from '@mantine/core';
import type { FieldFaults } from '@/lib/requests/problems';
import styles from '@/parts/styles.module.css';
import { newLayer, type ScheduleForm } from '@/screens/on-call/draft';

type Props = { form: ScheduleForm; onChange: (form: ScheduleForm) => void; faults: FieldFaults };

const WAYS = [
  { value: 'layers', label: 'Layers' },
  { value: 'calendar', label: 'Follow a calendar' },
];

/** The choice between layers and an external calendar, and the address of the calendar. */
export function CalendarFields({ form, onChange, faults }: Props) {
  const choose = (way: string) => {
    const layers = form.layers.length > 0 ? form.layers : [newLayer(form.timezone, 1)];
    onChange({ ...form, follows: way === 'calendar', layers });
  };
  return (
    <Stack gap="sm" pb="md">
      <SegmentedControl
        aria-label="Who is on call"
        data={WAYS}
        value={form.follows ? 'calendar' : 'layers'}
        onChange={choose}
        classNames={{ label: styles.tallLabel }}
      />
      {form.follows && (
        <>
          <TextInput
            label="Address of the calendar"
            description="The secret address in iCal format, from Google Calendar, Outlook or another program."
            type="url"
            autoComplete="off"
            placeholder={form.calendarHint ? `Saved, at ${form.calendarHint}` : 'https://'}
            required={!form.calendarHint}
            maxLength={2048}
            value={form.calendarUrl}
            onChange={(event) => onChange({ ...form, calendarUrl: event.currentTarget.value.trim() })}
            error={faults.fields.calendarUrl}
          />
          <Text size="sm" className="soft">
            The title of an event is the name or the email address of a member, or several with commas. The calendar is
            read every ten minutes.
          </Text>
        </>
      )}
    </Stack>
  );
}
