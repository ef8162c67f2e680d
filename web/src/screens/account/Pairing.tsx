import { Button, Group, Stack, Text } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { CircleCheck } from 'lucide-react';
import { useEffect, useState } from 'react';
import type { PairingCreated } from '@/api';
import { devicesReadPairingOptions } from '@/api/@tanstack/react-query.gen';
import { Modal } from '@/parts/dialogs';
import { PhoneObstacle } from '@/parts/push/PhoneObstacle';
import { QrCode } from '@/screens/account/QrCode';
import { refreshAccount } from '@/screens/account/refresh';

const LIFETIME = 300;

/** A code for one phone: a picture to scan, the same in letters, and how long it still works. */
export function Pairing({
  pairing,
  onClose,
  onAgain,
}: {
  pairing: PairingCreated | null;
  onClose: () => void;
  onAgain: () => void;
}) {
  return (
    <Modal opened={pairing !== null} onClose={onClose} title="Pair a phone" closeOnClickOutside={false}>
      {pairing && <Waiting key={pairing.id} pairing={pairing} onClose={onClose} onAgain={onAgain} />}
    </Modal>
  );
}

function Waiting({ pairing, onClose, onAgain }: { pairing: PairingCreated; onClose: () => void; onAgain: () => void }) {
  const client = useQueryClient();
  const left = useSecondsLeft();
  const read = useQuery({
    ...devicesReadPairingOptions({ path: { pairing_id: pairing.id } }),
    refetchInterval: (query) =>
      query.state.data === undefined || query.state.data.status === 'pending' ? 2000 : false,
  });
  const status = read.data?.status ?? 'pending';
  useEffect(() => {
    if (status === 'claimed') refreshAccount(client);
  }, [status, client]);
  if (status === 'claimed') {
    return (
      <Stack align="center" role="status">
        <CircleCheck size={32} color="var(--severity-success)" aria-hidden />
        <Text>
          <strong>{read.data?.device?.name ?? 'The phone'}</strong> is paired.
        </Text>
        <Button onClick={onClose}>Done</Button>
      </Stack>
    );
  }
  if (status === 'expired') {
    return (
      <Stack role="status">
        <Text>This code no longer works: it expired, was tried too often, or was replaced by a newer code.</Text>
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            Close
          </Button>
          <Button onClick={onAgain}>Show a new code</Button>
        </Group>
      </Stack>
    );
  }
  return (
    <Stack>
      <PhoneObstacle />
      <Text size="sm">
        Scan this with the camera of the phone, or open <span className="mono">{pairing.uri.split('#')[0]}</span> there
        and enter the code.
      </Text>
      <QrCode svg={pairing.qrSvg} label="QR code for pairing" />
      <Text ta="center" ff="monospace" fz={26} fw={600} data-secret>
        {pairing.code}
      </Text>
      <Text size="sm" className="soft numbers" ta="center">
        Works once, for {Math.floor(left / 60)}:{String(left % 60).padStart(2, '0')} more. Waiting for the phone.
      </Text>
      <Text size="sm" className="soft">
        A phone can silence push. Also send critical incidents to a destination that wakes you.
      </Text>
      <Group justify="flex-end">
        <Button variant="default" onClick={onClose}>
          Cancel
        </Button>
      </Group>
    </Stack>
  );
}

/** Counts from the receipt of the code. Clocks may differ, so the status of the service decides. */
function useSecondsLeft(): number {
  const [began] = useState(() => performance.now());
  const [left, setLeft] = useState(LIFETIME);
  useEffect(() => {
    const count = () => setLeft(Math.max(0, Math.ceil(LIFETIME - (performance.now() - began) / 1000)));
    const timer = setInterval(count, 1000);
    return () => clearInterval(timer);
  }, [began]);
  return left;
}
