import { ActionIcon, Button, Chip, Group, Switch, Text, TextInput } from '@mantine/core';
import { Plus, Trash2 } from 'lucide-react';
import type { Window } from '@/api';
import styles from '@/parts/styles.module.css';
import { nextHours } from '@/parts/windows/nextHours';
import classes from '@/parts/windows/WeeklyHours.module.css';

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
const MOST = 20;

type Props = {
  label?: string;
  /** Whose clock the hours are of. */
  description: string;
  windows: readonly Window[];
  onChange: (windows: Window[]) => void;
  /** The hours at first. */
  first?: Window;
};

/** A switch for hours of the week, and the windows while it is on. */
export function WeeklyHours({
  label = 'Only during certain hours',
  description,
  windows,
  onChange,
  first = NIGHT,
}: Props) {
  return (
    <>
      <Switch
        label={label}
        description={description}
        checked={windows.length > 0}
        onChange={(event) => onChange(event.currentTarget.checked ? [first] : [])}
      />
      {windows.map((window, index) => (
        <Hours
          key={index}
          index={index}
          window={window}
          onRemove={() => onChange(windows.filter((_, at) => at !== index))}
          onChange={(next) => onChange(windows.map((each, at) => (at === index ? next : each)))}
        />
      ))}
      {windows.length > 0 && windows.length < MOST && (
        <Button
          variant="default"
          leftSection={<Plus size={15} aria-hidden />}
          className={styles.start}
          mih="var(--target)"
          onClick={() => onChange([...windows, nextHours(windows, first)])}
        >
          Add hours
        </Button>
      )}
    </>
  );
}

type HoursProps = { index: number; window: Window; onChange: (window: Window) => void; onRemove: () => void };

function Hours({ index, window, onChange, onRemove }: HoursProps) {
  const nth = `of window ${index + 1}`;
  return (
    <fieldset className={classes.boxed}>
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
