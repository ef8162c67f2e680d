import { Button } from '@mantine/core';
import { BellRing } from 'lucide-react';
import { useState } from 'react';
import type { IncidentRecord } from '@/api';
import { useWorkspace } from '@/lib/session/workspace';
import { perform } from '@/live/acts';
import { useOffline } from '@/live/online';

/** Members notify the destinations that were not told of these incidents. */
export function NotifyNow({ incidents }: { incidents: IncidentRecord[] }) {
  const { can } = useWorkspace();
  const [isBusy, setBusy] = useState(false);
  const offline = useOffline();
  if (!can('member')) return null;
  const run = async () => {
    setBusy(true);
    await perform(incidents, { action: 'notify' });
    setBusy(false);
  };
  return (
    <Button
      variant="default"
      size="compact-sm"
      mih="var(--target)"
      leftSection={<BellRing size={14} aria-hidden />}
      disabled={offline}
      loading={isBusy}
      onClick={() => void run()}
    >
      Notify now
    </Button>
  );
}
