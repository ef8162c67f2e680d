import { Badge, Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { Smartphone } from 'lucide-react';
import { useState, type FormEvent } from 'react';
import { devicesEdit, devicesRemove, devicesStartPairing, type DeviceRecord, type PairingCreated } from '@/api';
import { devicesListInfiniteOptions } from '@/api/@tanstack/react-query.gen';
import { pages } from '@/lib/requests/pages';
import { signOut } from '@/lib/session/auth';
import { auth } from '@/lib/session/identity';
import { More } from '@/parts/DataTable';
import { Modal } from '@/parts/dialogs';
import { SkeletonRows } from '@/parts/EmptyState';
import { ProblemAlert } from '@/parts/ProblemAlert';
import { PhoneObstacle } from '@/parts/push/PhoneObstacle';
import { TestPush } from '@/parts/push/TestPush';
import { SectionList, SectionRow, SettingsSection } from '@/parts/SettingsSection';
import styles from '@/parts/styles.module.css';
import { TimeAgo } from '@/parts/TimeAgo';
import { say } from '@/parts/toast';
import { ConfirmButton } from '@/parts/ConfirmButton';
import { Notifications } from '@/screens/account/Notifications';
import { Pairing } from '@/screens/account/Pairing';
import { refreshAccount } from '@/screens/account/refresh';
import { useAttempt } from '@/parts/useAttempt';

/** Paired phones. Each has separate tokens, which end when the device is unpaired. */
export function Devices() {
  const client = useQueryClient();
  const query = useInfiniteQuery({ ...devicesListInfiniteOptions({ query: { limit: 20 } }), ...pages });
  const [pairing, setPairing] = useState<PairingCreated | null>(null);
  const [renamed, setRenamed] = useState<DeviceRecord | null>(null);
  const { busy, attempt } = useAttempt();
  const isDevice = auth().kind === 'device';
  const devices = query.data?.pages.flatMap((page) => page.items) ?? [];
  const pair = () => attempt('pair', async () => setPairing((await devicesStartPairing({ throwOnError: true })).data));
  const remove = (device: DeviceRecord) =>
    attempt(device.id, async () => {
      if (device.current) return signOut();
      await devicesRemove({ path: { device_id: device.id }, throwOnError: true });
      say(`${device.name} was unpaired`);
      refreshAccount(client);
    });
  return (
    <SettingsSection id="devices" title="Devices" about="A paired phone acts as you, without your password.">
      {query.isPending && <SkeletonRows count={1} />}
      {query.error && <ProblemAlert fault={query.error} onRetry={() => query.refetch()} />}
      {query.isSuccess && devices.length === 0 && (
        <Text size="sm" className="soft">
          No device is paired.
        </Text>
      )}
      <SectionList label="Devices">
        {devices.map((device) => (
          <DeviceRow
            key={device.id}
            device={device}
            isDevice={isDevice}
            setRenamed={setRenamed}
            busy={busy}
            remove={remove}
          />
        ))}
      </SectionList>
      <More query={query} />
      {!isDevice && (
        <Text size="sm" className="soft">
          A phone can silence push. For incidents that must wake you, also add a chat or a phone-call service.
        </Text>
      )}
      {!isDevice && <PhoneObstacle />}
      {!isDevice && (
        <Group>
          <Button
            variant="default"
            leftSection={<Smartphone size={16} aria-hidden />}
            loading={busy === 'pair'}
            onClick={pair}
          >
            Pair a phone
          </Button>
        </Group>
      )}
      <Pairing pairing={pairing} onClose={() => setPairing(null)} onAgain={pair} />
      <Rename device={renamed} onClose={() => setRenamed(null)} />
    </SettingsSection>
  );
}

type DeviceRowProps = {
  device: DeviceRecord;
  isDevice: boolean;
  setRenamed: React.Dispatch<React.SetStateAction<DeviceRecord | null>>;
  busy: string;
  remove: (device: DeviceRecord) => Promise<void>;
};

/** One paired device, and what can be done with it. */
function DeviceRow({ device, isDevice, setRenamed, busy, remove }: DeviceRowProps) {
  return (
    <SectionRow
      actions={
        (device.current || !isDevice) && (
          <>
            {!device.current && device.push.state === 'active' && <TestPush device={device} />}
            <Button variant="default" onClick={() => setRenamed(device)} aria-label={`Rename ${device.name}`}>
              Rename
            </Button>
            <ConfirmButton
              word="Unpair"
              label={`Unpair ${device.name}`}
              title={`Unpair ${device.name}`}
              busy={busy === device.id}
              onConfirm={() => void remove(device)}
            >
              The device loses access at once. Pairing it again needs a new code.
            </ConfirmButton>
          </>
        )
      }
    >
      <strong>{device.name}</strong>
      {device.current && (
        <Badge size="sm" variant="default" tt="none" ml={6}>
          This device
        </Badge>
      )}
      <div className={`soft ${styles.small}`}>
        {device.platform},{' '}
        {device.lastSeenAt ? (
          <>
            active <TimeAgo at={device.lastSeenAt} />
          </>
        ) : (
          'never active'
        )}
        , paired <TimeAgo at={device.createdAt} />
      </div>
      <PushLine device={device} />
      {device.current && <Notifications device={device} />}
    </SectionRow>
  );
}

/** Whether the phone is notified, and the result of the last message. */
function PushLine({ device: { push } }: { device: DeviceRecord }) {
  const text = {
    none: 'Notifications off',
    active: 'Notifications on',
    lost: 'Push lost: open the app on the phone',
    refused: 'The push service rejects our requests',
  }[push.state];
  return (
    <div className={`soft ${styles.small}`}>
      {text ?? push.state}
      {push.lastDeliveredAt && (
        <>
          , last delivered <TimeAgo at={push.lastDeliveredAt} />
        </>
      )}
    </div>
  );
}

function Rename({ device, onClose }: { device: DeviceRecord | null; onClose: () => void }) {
  return (
    <Modal opened={device !== null} onClose={onClose} title={`Rename ${device?.name ?? ''}`}>
      {device && <RenameForm device={device} onClose={onClose} />}
    </Modal>
  );
}

function RenameForm({ device, onClose }: { device: DeviceRecord; onClose: () => void }) {
  const client = useQueryClient();
  const [name, setName] = useState(device.name);
  const { busy, attempt } = useAttempt();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void attempt('rename', async () => {
      await devicesEdit({ path: { device_id: device.id }, body: { name: name.trim() }, throwOnError: true });
      refreshAccount(client);
      onClose();
    });
  };
  return (
    <form onSubmit={submit}>
      <Stack>
        <TextInput
          label="Name"
          required
          maxLength={80}
          value={name}
          data-autofocus
          onChange={(event) => setName(event.currentTarget.value)}
        />
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" loading={busy !== ''} disabled={!name.trim()}>
            Rename
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
