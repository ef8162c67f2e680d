import { Button, Group, Text } from '@mantine/core';
import { CirclePause, CirclePlay, HeartPulse } from 'lucide-react';
import { useState } from 'react';
import type { MonitorRecord } from '@/api';
import { useKeys } from '@/lib/keyboard/keys';
import { useWorkspace } from '@/lib/session/workspace';
import { Answers } from '@/parts/Answers';
import { Modal } from '@/parts/dialogs';
import { useActs } from '@/screens/heartbeats/useActs';

/** Members ping in place of the job; administrators pause and resume. */
export function Acts({ monitor }: { monitor: MonitorRecord }) {
  const { can } = useWorkspace();
  const acts = useActs(monitor);
  const [question, setQuestion] = useState<'ping' | 'pause' | null>(null);
  const close = () => setQuestion(null);
  const isPaused = monitor.status === 'paused';
  const mayPing = can('member') && !isPaused;
  const pause = () => (monitor.status === 'down' ? setQuestion('pause') : acts.pause(close));
  useKeys('Heartbeat monitor', [{ keys: 'p', label: 'Ping now', run: () => setQuestion('ping') }], mayPing);
  return (
    <Group gap="xs">
      {mayPing && (
        <Button
          variant="default"
          leftSection={<HeartPulse size={15} aria-hidden />}
          mih="var(--target)"
          onClick={() => setQuestion('ping')}
        >
          Ping now
        </Button>
      )}
      {can('admin') &&
        (isPaused ? (
          <Button
            leftSection={<CirclePlay size={15} aria-hidden />}
            mih="var(--target)"
            loading={acts.isPending}
            onClick={acts.resume}
          >
            Resume
          </Button>
        ) : (
          <Button
            variant="default"
            leftSection={<CirclePause size={15} aria-hidden />}
            mih="var(--target)"
            loading={acts.isPending && question === null}
            onClick={pause}
          >
            Pause
          </Button>
        ))}
      <Modal opened={question === 'ping'} onClose={close} title="Ping on behalf of the job">
        <Text size="sm">
          Counts as a successful run now, for example after a manual run. The ping list shows your name.
          {monitor.status === 'down' && ' The monitor is up again, and its incident is resolved.'}
        </Text>
        <Answers label="Send the ping" onCancel={close} onConfirm={() => acts.ping(close)} busy={acts.isPending} />
      </Modal>
      <Modal opened={question === 'pause'} onClose={close} title={`Pause ${monitor.name}`}>
        <Text size="sm">
          No ping is expected until someone resumes the monitor. Its open incident is resolved, and undo does not reopen
          it.
        </Text>
        <Answers label="Pause the monitor" onCancel={close} onConfirm={() => acts.pause(close)} busy={acts.isPending} />
      </Modal>
    </Group>
  );
}
