import { Input, SegmentedControl, Switch } from '@mantine/core';
import { useTheme } from '@/app/useSavedPreferences';
import { setPreferences, usePreferences, type Preferences } from '@/lib/preferences';
import { SettingsSection } from '@/parts/SettingsSection';

type Choice = { value: string; label: string };

/** How the dashboard is shown to the person. Each choice applies at once. */
export function Display() {
  const [theme, setTheme] = useTheme();
  const { density, hourCycle, times, shortcuts } = usePreferences();
  return (
    <SettingsSection id="display" title="Display" about="These choices apply at once, in all your browsers.">
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
        label="Clock"
        value={hourCycle}
        onChange={(value) => setPreferences({ hourCycle: value as Preferences['hourCycle'] })}
        data={[
          { value: 'auto', label: 'Language' },
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
          { value: 'utc', label: 'UTC' },
        ]}
      />
      <Choices
        label="Height of rows"
        value={density}
        onChange={(value) => setPreferences({ density: value as Preferences['density'] })}
        data={[
          { value: 'comfortable', label: 'Comfortable' },
          { value: 'compact', label: 'Compact' },
        ]}
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
        styles={{ label: { minHeight: 'calc(var(--target) - 8px)', lineHeight: 'calc(var(--target) - 14px)' } }}
      />
    </div>
  );
}
