import { ActionIcon, Button, Chip, Group, MultiSelect, Stack, Switch, Text, TextInput } from '@mantine/core';
import { Plus, Trash2 } from 'lucide-react';
import type { RuleRecord } from '@/api';
import type { Names } from '@/lib/configuration/names';
import { useWorkspace } from '@/lib/session/workspace';
import styles from '@/parts/styles.module.css';
import type { RuleForm } from '@/screens/rules/draft';
import classes from '@/screens/rules/Rules.module.css';

type Window = NonNullable<RuleRecord['activeDuring']>['windows'][number];

const DAYS: readonly [Window['days'][number], string][] = [
  ['mon', 'Mon'],
  ['tue', 'Tue'],
  ['wed', 'Wed'],
  ['thu', 'Thu'],
  ['fri', 'Fri'],
  ['sat', 'Sat'],
  ['sun', 'Sun'],
];
const NIGHT: Window = { days: ['mon', 'tue', 'wed', 'thu', 'fri'], start: '22:00', end: '07:00' };

/** Of which sources, and at which hours of the week. */
export function Narrowing({
  form,
  onChange,
  names,
}: {
  form: RuleForm;
  onChange: (form: RuleForm) => void;
  names: Names;
}) {
  const { workspace } = useWorkspace();
  const { activeDuring } = form;
  const setWindows = (windows: Window[]) =>
    onChange({ ...form, activeDuring: windows.length > 0 ? { ...activeDuring, windows } : null });
  return (
    <section className={classes.section} aria-label="Sources and hours">
      <Stack gap="sm">
        <MultiSelect
          label="Sources"
          data={names.sources}
          value={form.sourceIds}
          searchable
          placeholder={form.sourceIds.length ? undefined : 'All sources'}
          onChange={(ids) => onChange({ ...form, sourceIds: ids as RuleForm['sourceIds'] })}
          nothingFoundMessage="No source"
        />
        <Switch
          label="Only during certain hours"
          description={`Based on arrival time (${activeDuring?.timezone ?? workspace.timezone}).`}
          checked={activeDuring !== null}
          onChange={(event) => setWindows(event.currentTarget.checked ? [NIGHT] : [])}
        />
        {activeDuring?.windows.map((window, index, windows) => (
          <Hours
            key={index}
            index={index}
            window={window}
            onRemove={() => setWindows(windows.filter((_, at) => at !== index))}
            onChange={(next) => setWindows(windows.map((each, at) => (at === index ? next : each)))}
          />
        ))}
        {activeDuring && activeDuring.windows.length < 20 && (
          <Button
            variant="default"
            leftSection={<Plus size={15} aria-hidden />}
            className={styles.start}
            mih="var(--target)"
            onClick={() => setWindows([...activeDuring.windows, NIGHT])}
          >
            Add hours
          </Button>
        )}
      </Stack>
    </section>
  );
}

function Hours({
  index,
  window,
  onChange,
  onRemove,
}: {
  index: number;
  window: Window;
  onChange: (window: Window) => void;
  onRemove: () => void;
}) {
  const nth = `of window ${index + 1}`;
  return (
    <fieldset className={classes.boxedFields}>
      <legend className="only-for-readers">Window {index + 1}</legend>
      <Chip.Group
        multiple
        value={window.days}
        onChange={(days) => onChange({ ...window, days: DAYS.map(([day]) => day).filter((day) => days.includes(day)) })}
      >
        <Group gap={6}>
          {DAYS.map(([day, word]) => (
            <Chip key={day} value={day} size="xs" variant="outline">
              {word}
            </Chip>
          ))}
        </Group>
      </Chip.Group>
      <Group gap="xs" mt="xs" align="center">
        <TextInput
          type="time"
          aria-label={`Start ${nth}`}
          value={window.start}
          onChange={(event) => onChange({ ...window, start: event.currentTarget.value })}
        />
        <Text size="sm">to</Text>
        <TextInput
          type="time"
          aria-label={`End ${nth}`}
          value={window.end}
          onChange={(event) => onChange({ ...window, end: event.currentTarget.value })}
        />
        <ActionIcon aria-label={`Remove window ${index + 1}`} onClick={onRemove}>
          <Trash2 size={16} aria-hidden />
        </ActionIcon>
      </Group>
    </fieldset>
  );
}
