import { Input, SegmentedControl, Select, Switch } from '@mantine/core';
import { setPreferences, usePreferences, type Preferences } from '@/lib/preferences/preferences';
import { useTheme } from '@/lib/preferences/useTheme';
import { duration } from '@/lib/time/time';
import { SettingsSection } from '@/parts/SettingsSection';
import classes from '@/screens/account/Account.module.css';

type Choice = { value: string; label: string };

/** Display preferences of the person. Each choice applies at once. */
export function Display() {
  const [theme, setTheme] = useTheme();
  const { density, hourCycle, times, shortcuts, snoozeMinutes } = usePreferences();
  return (
    <SettingsSection id="display" title="Display" about="Changes apply immediately, in all your browsers.">
      <Choices
        label="Theme"
        value={theme}
        onChange={setTheme}
        data={[
          { value: 'light', label: 'Light' },
          { value: 'dark', label: 'Dark' },
          { value: 'auto', label: 'System' },
        ]}
      />
      <Choices
        label="Time format"
        value={hourCycle}
        onChange={(value) => setPreferences({ hourCycle: value as Preferences['hourCycle'] })}
        data={[
          { value: 'auto', label: 'Automatic' },
          { value: 'h23', label: '24 hours' },
          { value: 'h12', label: '12 hours' },
        ]}
      />
      <Choices
        label="Times"
        value={times}
        onChange={(value) => setPreferences({ times: value as Preferences['times'] })}
        data={[
          { value: 'local', label: 'Local' },
          { value: 'workspace', label: 'Workspace' },
          { value: 'utc', label: 'UTC' },
        ]}
      />
      <Choices
        label="Row density"
        value={density}
        onChange={(value) => setPreferences({ density: value as Preferences['density'] })}
        data={[
          { value: 'comfortable', label: 'Comfortable' },
          { value: 'compact', label: 'Compact' },
        ]}
      />
      <Select
        label="Default snooze"
        description="Used when you swipe left on a phone or press s s."
        allowDeselect={false}
        data={snoozeChoices(snoozeMinutes)}
        value={String(snoozeMinutes)}
        onChange={(value) => value && setPreferences({ snoozeMinutes: Number(value) })}
      />
      <Switch
        label="Keyboard shortcuts"
        description="Single keys, such as j and k. Press ? to see all."
        checked={shortcuts}
        mih="var(--target)"
        onChange={(event) => setPreferences({ shortcuts: event.currentTarget.checked })}
      />
    </SettingsSection>
  );
}

/** Usual lengths, and the one that was set elsewhere. */
function snoozeChoices(now: number): Choice[] {
  const minutes = [...new Set([15, 30, 60, 120, 240, 480, 1440, now])].sort((a, b) => a - b);
  return minutes.map((each) => ({ value: String(each), label: duration(each * 60) }));
}

function Choices({
  label,
  value,
  data,
  onChange,
}: {
  label: string;
  value: string;
  data: Choice[];
  onChange: (value: string) => void;
}) {
  return (
    <div>
      <Input.Label component="div">{label}</Input.Label>
      <SegmentedControl
        fullWidth
        aria-label={label}
        data={data}
        value={value}
        onChange={onChange}
        classNames={{ label: classes.schemeLabel }}
      />
    </div>
  );
}
