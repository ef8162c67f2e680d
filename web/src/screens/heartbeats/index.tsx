import { Text } from '@mantine/core';
import { useState } from 'react';
import type { MonitorCreated, MonitorRecord } from '@/api';
import type { ScreenProps } from '@/lib/navigation/screen';
import { ShowOnce } from '@/parts/ShowOnce';
import { MonitorDetail } from '@/screens/heartbeats/MonitorDetail';
import { MonitorList } from '@/screens/heartbeats/MonitorList';
import { NewMonitor } from '@/screens/heartbeats/NewMonitor';

/** The ping address of a new token. It stands in the ready text until the screen is left. */
type FreshAddress = { monitorId: string; url: string; isRotated: boolean };

/** Heartbeat monitors: the list, the form of a new one, and one of them. */
export default function Heartbeats({ rest }: ScreenProps) {
  const [fresh, setFresh] = useState<FreshAddress | null>(null);
  const [isShown, setShown] = useState(false);
  const [part] = rest;
  const show = (created: MonitorCreated, isRotated: boolean) => {
    setFresh({ monitorId: created.id, url: created.pingUrl, isRotated });
    setShown(true);
  };
  return (
    <>
      {part === undefined && <MonitorList />}
      {part === 'new' && <NewMonitor onCreated={(created) => show(created, false)} />}
      {part !== undefined && part !== 'new' && (
        <MonitorDetail
          key={part}
          id={part as MonitorRecord['id']}
          address={fresh?.monitorId === part ? fresh.url : null}
          onRotated={(created) => show(created, true)}
        />
      )}
      <ShowOnce
        title={fresh?.isRotated ? 'New ping address' : 'Ping address'}
        onClose={() => setShown(false)}
        secret={isShown && fresh ? { label: 'PING', value: fresh.url, fileName: 'ping-address.txt' } : null}
      >
        <Text size="sm">
          {fresh?.isRotated
            ? 'The old address no longer works. Put the new one into the job.'
            : 'The address contains a token. Anyone with it can ping this monitor and do nothing else.'}
        </Text>
      </ShowOnce>
    </>
  );
}
