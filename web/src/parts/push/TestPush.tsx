import { Button } from '@mantine/core';
import { pushTest, type DeviceRecord } from '@/api';
import { refresh } from '@/lib/requests/refresh';
import { say } from '@/parts/toast';
import { useAttempt } from '@/parts/useAttempt';

/** Sends one message to a device at once; also to another device of the person. */
export function TestPush({ device, isPrimary = false }: { device: DeviceRecord; isPrimary?: boolean }) {
  const { busy, attempt } = useAttempt();
  const send = () =>
    attempt('test', async () => {
      const { data } = await pushTest({ path: { device_id: device.id }, throwOnError: true });
      say(
        data.status === 'sent' ? 'The push service accepted the test' : `The test failed: ${data.error ?? 'unknown'}`,
      );
      await refresh('devicesList');
    });
  return (
    <Button
      variant={isPrimary ? 'filled' : 'default'}
      loading={busy !== ''}
      mih="var(--target)"
      onClick={send}
      aria-label={`Send a test to ${device.name}`}
    >
      Send a test
    </Button>
  );
}
