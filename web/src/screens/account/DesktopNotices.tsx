import { Button, Group, Switch, Text } from '@mantine/core';
import { Bell, Volume2 } from 'lucide-react';
import { useState } from 'react';
import { setPreferences, usePreferences } from '@/lib/preferences/preferences';
import { playSound } from '@/lib/preferences/sound';
import { SettingsSection } from '@/parts/SettingsSection';
import { noticePermission } from '@/live/announce';

const FAULTS: Partial<Record<ReturnType<typeof noticePermission>, string>> = {
  denied: 'Notifications from this site are blocked. Allow them in the site settings of the browser.',
  unsupported: 'This browser cannot show notifications for this address. They require https.',
};

/** A notification of the system and a sound for new incidents, while a page of the dashboard is open. */
export function DesktopNotices() {
  const { desktopNotices, sound } = usePreferences();
  const [permission, setPermission] = useState(noticePermission);
  const turn = async (on: boolean) => {
    if (on && noticePermission() === 'default') await Notification.requestPermission();
    setPermission(noticePermission());
    setPreferences({ desktopNotices: on && noticePermission() === 'granted' });
  };
  const fault = FAULTS[permission];
  return (
    <SettingsSection
      id="desktop-notices"
      title="New incidents"
      about="Announces new open incidents while a page is open in this browser. During quiet hours, only critical ones."
    >
      <Switch
        label="Desktop notifications"
        description="Shows the severity, title and source."
        checked={desktopNotices}
        disabled={fault !== undefined && !desktopNotices}
        mih="var(--target)"
        onChange={(event) => void turn(event.currentTarget.checked)}
      />
      {fault && (
        <Text size="sm" className="soft">
          {fault}
        </Text>
      )}
      {desktopNotices && permission === 'default' && (
        <Group gap="xs">
          <Button
            variant="default"
            mih="var(--target)"
            leftSection={<Bell size={16} aria-hidden />}
            onClick={() => void turn(true)}
          >
            Allow in this browser
          </Button>
        </Group>
      )}
      <Group gap="md" wrap="nowrap" justify="space-between">
        <Switch
          label="Sound"
          description="Plays a sound. Click the page once to allow it."
          checked={sound}
          mih="var(--target)"
          onChange={(event) => setPreferences({ sound: event.currentTarget.checked })}
        />
        <Button
          variant="default"
          mih="var(--target)"
          flex="none"
          leftSection={<Volume2 size={16} aria-hidden />}
          onClick={playSound}
        >
          Play
        </Button>
      </Group>
    </SettingsSection>
  );
}
