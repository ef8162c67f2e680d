import { ActionIcon, Button, Chip, Group, Stack, Switch, TagsInput, Text, TextInput } from '@mantine/core';
import { Plus, X } from 'lucide-react';
import { useState } from 'react';
import type { Window } from '@/api';
import type { SettingsFormType } from '@/lib/configuration/workspaceSettings';
import { useWorkspace } from '@/lib/session/workspace';
import { localText } from '@/lib/time/localText';
import { SettingsSection } from '@/parts/SettingsSection';
import { QuietPreview } from '@/screens/settings/QuietPreview';
import { DAYS, isDate } from '@/screens/settings/quietWeek';
import classes from '@/screens/settings/Settings.module.css';

const NIGHT: Window = { days: ['mon', 'tue', 'wed', 'thu', 'fri'], start: '22:00', end: '07:00' };

/** When notices below the threshold of a destination wait. */
export function QuietHoursFields({ form, disabled }: { form: SettingsFormType; disabled: boolean }) {
  const { enabled, windows, holidays } = form.values.settings.quietHours;
  const { workspace } = useWorkspace();
  const [fault, setFault] = useState('');
  const set = (next: Window[]) => form.setFieldValue('settings.quietHours.windows', next);
  return (
    <SettingsSection
      id="quiet-hours"
      title="Quiet hours"
      about="Lower severities wait and arrive in one summary at the end. Each destination sets its own threshold. By default, critical notifications always pass."
    >
      <Switch
        label="Quiet hours"
        mih="var(--target)"
        checked={enabled}
        onChange={(event) => form.setFieldValue('settings.quietHours.enabled', event.currentTarget.checked)}
      />
      {!enabled && (
        <Text size="sm" className="soft">
          {localText((workspace as Partial<typeof workspace>).quiet?.text ?? '')}
        </Text>
      )}
      {enabled && (
        <>
          {windows.map((each, place) => (
            <WindowFields
              key={place}
              number={place + 1}
              window={each}
              disabled={disabled}
              onChange={(next) => set(windows.map((other, index) => (index === place ? next : other)))}
              onRemove={() => set(windows.filter((_, index) => index !== place))}
            />
          ))}
          <Group>
            <Button
              variant="default"
              leftSection={<Plus size={16} aria-hidden />}
              disabled={disabled || windows.length >= 20}
              onClick={() => set([...windows, NIGHT])}
            >
              Add a window
            </Button>
          </Group>
          <TagsInput
            label="Holidays"
            description="Quiet all day. Type a date such as 2026-12-24 and press Enter."
            value={holidays}
            maxTags={100}
            disabled={disabled}
            error={fault}
            onChange={(next) => {
              const wrong = next.find((day) => !isDate(day));
              setFault(wrong === undefined ? '' : `${wrong} is not a date such as 2026-12-24.`);
              form.setFieldValue('settings.quietHours.holidays', next.filter(isDate));
            }}
          />
          <QuietPreview quietHours={form.values.settings.quietHours} timezone={form.values.timezone} />
        </>
      )}
    </SettingsSection>
  );
}

type WindowProps = {
  number: number;
  window: Window;
  disabled: boolean;
  onChange: (window: Window) => void;
  onRemove: () => void;
};

function WindowFields({ number, window, disabled, onChange, onRemove }: WindowProps) {
  return (
    <Stack gap="xs" role="group" aria-label={`Window ${number}`} pb="sm" className={classes.underlined}>
      <Chip.Group multiple value={window.days} onChange={(days) => onChange({ ...window, days: days })}>
        <Group gap={6}>
          {DAYS.map(({ day, word }) => (
            <Chip key={day} value={day} disabled={disabled} size="sm">
              {word}
            </Chip>
          ))}
        </Group>
      </Chip.Group>
      <Group align="flex-end" wrap="nowrap">
        <TextInput
          label="From"
          type="time"
          value={window.start}
          w={130}
          onChange={(event) => onChange({ ...window, start: event.currentTarget.value })}
        />
        <TextInput
          label="Until"
          type="time"
          value={window.end}
          w={130}
          onChange={(event) => onChange({ ...window, end: event.currentTarget.value })}
        />
        <ActionIcon aria-label={`Remove window ${number}`} disabled={disabled} onClick={onRemove}>
          <X size={16} aria-hidden />
        </ActionIcon>
      </Group>
    </Stack>
  );
}
