import { Button, Radio, SegmentedControl, Stack } from '@mantine/core';
import { BellOff } from 'lucide-react';
import { useState } from 'react';
import { useLocation } from 'wouter';
import type { IncidentRecord } from '@/api';
import { newSilence, type SilenceScope, silenceScopes } from '@/lib/incidents/silenceLike';
import { usePhone } from '@/lib/navigation/usePhone';
import { useWorkspace } from '@/lib/session/workspace';
import { SNOOZES } from '@/lib/time/snooze';
import { Drawer, Modal } from '@/parts/dialogs';
import styles from '@/parts/styles.module.css';
import { useOffline } from '@/live/online';
import classes from '@/screens/incidents/silence/SilenceSheet.module.css';
import { useCoverage, useSilence } from '@/screens/incidents/silence/useSilence';

const TITLE = 'Silence similar';
const CUSTOM = 'custom';
/** An hour, four hours, and until nine in the morning. */
const ENDS = SNOOZES.slice(1, 4);

type Props = { incident: IncidentRecord; opened: boolean; onClose: () => void };

/** A silence in two taps: what it covers, for how long, and what that mutes. On a phone it comes from below. */
export default function SilenceSheet({ incident, opened, onClose }: Props) {
  const isPhone = usePhone();
  const content = opened && <Choices incident={incident} onClose={onClose} />;
  if (!isPhone)
    return (
      <Modal opened={opened} onClose={onClose} title={TITLE} size={440}>
        {content}
      </Modal>
    );
  return (
    <Drawer
      opened={opened}
      onClose={onClose}
      title={TITLE}
      position="bottom"
      size="auto"
      classNames={{ content: classes.sheet }}
      closeButtonProps={{ 'aria-label': 'Close', size: 44, iconSize: 20 }}
    >
      {content}
    </Drawer>
  );
}

function Choices({ incident, onClose }: Pick<Props, 'incident' | 'onClose'>) {
  const { href } = useWorkspace();
  const [, navigate] = useLocation();
  const offline = useOffline();
  const scopes = silenceScopes(incident);
  const [scope, setScope] = useState(scopes[0]!);
  const [end, setEnd] = useState(ENDS[0]!);
  const coverage = useCoverage(incident, scope);
  const create = useSilence(incident, onClose);
  const choose = (name: string) => {
    if (name === CUSTOM) navigate(href(newSilence(scope.match, [incident])));
    else setScope(scopes.find((each) => each.name === name)!);
  };
  const now = new Date();
  return (
    <Stack gap="sm" pb="env(safe-area-inset-bottom)">
      <Radio.Group value={scope.name} onChange={choose} aria-label="What to silence">
        <Stack gap={6}>
          {scopes.map((each) => (
            <Scope key={each.name} scope={each} from={incident.sourceName} />
          ))}
          <label className={classes.scope}>
            <Radio value={CUSTOM} aria-label="Custom…" />
            <span className={styles.small}>Custom…</span>
          </label>
        </Stack>
      </Radio.Group>
      <SegmentedControl
        fullWidth
        aria-label="For how long"
        data={ENDS.map((each) => ({ value: each.keys, label: each.label(now) }))}
        value={end.keys}
        onChange={(keys) => setEnd(ENDS.find((each) => each.keys === keys)!)}
      />
      <p role="status" className={`soft ${styles.small} ${classes.preview}`}>
        {coverage}
      </p>
      <Button
        h={44}
        leftSection={<BellOff size={16} aria-hidden />}
        loading={create.isPending}
        disabled={offline}
        data-autofocus
        onClick={() => create.mutate({ scope, until: end.until(new Date()) })}
      >
        Silence {phrase(end.label(now))}
      </Button>
    </Stack>
  );
}

function Scope({ scope, from }: { scope: SilenceScope; from: string }) {
  return (
    <label className={classes.scope}>
      <Radio value={scope.name} aria-label={scope.label} />
      <span className={styles.small}>
        <span className={styles.strong}>{scope.label}</span>
        <span className={`soft ${classes.value}`}>
          {scope.value}, from {from}
        </span>
      </span>
    </label>
  );
}

/** "for 1 hour", "until 9:00 AM tomorrow". */
function phrase(label: string): string {
  return label.startsWith('Until') ? label.replace('Until', 'until') : `for ${label}`;
}
