import { Anchor, Group } from '@mantine/core';
import { BellOff } from 'lucide-react';
import { useState } from 'react';
import type { DeviceRecord } from '@/api';
import { pushFault } from '@/lib/device/push';
import { ownName } from '@/lib/navigation/base';
import { useThisDevice } from '@/parts/push/useThisDevice';
import { useTurnOn } from '@/parts/push/useTurnOn';
import classes from '@/app/shell/Warnings.module.css';

const DISMISSED = ownName('inbox-silent-phone');

/** Says in the inbox of a paired phone that its notifications are off, until they are on or somebody dismisses it. */
export function SilentPhone() {
  const device = useThisDevice();
  const [isDismissed, setDismissed] = useState(() => localStorage.getItem(DISMISSED) !== null);
  if (isDismissed || device?.push.state !== 'none') return null;
  const dismiss = () => {
    localStorage.setItem(DISMISSED, 'yes');
    setDismissed(true);
  };
  return <Offer device={device} onDismiss={dismiss} />;
}

function Offer({ device, onDismiss }: { device: DeviceRecord; onDismiss: () => void }) {
  const { busy, change } = useTurnOn(device);
  const fault = pushFault();
  return (
    <div role="status" className={classes.bar}>
      <BellOff size={16} aria-hidden className={classes.icon} />
      <span>
        Notifications are off: this phone stays silent. {fault}
        <Group gap="lg">
          {fault === null && (
            <Anchor
              component="button"
              type="button"
              size="sm"
              mih="var(--target)"
              disabled={busy !== ''}
              onClick={() => void change('on', {})}
            >
              Turn notifications on
            </Anchor>
          )}
          <Anchor component="button" type="button" size="sm" mih="var(--target)" onClick={onDismiss}>
            Dismiss
          </Anchor>
        </Group>
      </span>
    </div>
  );
}
