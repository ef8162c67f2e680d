import { Button, Group } from '@mantine/core';
import { Download } from 'lucide-react';
import { useState } from 'react';
import { exportRead } from '@/api';
import { download } from '@/lib/requests/download';
import { useWorkspace } from '@/lib/session/workspace';
import { ProblemAlert } from '@/parts/ProblemAlert';
import { SettingsSection } from '@/parts/SettingsSection';

/** Everything of the workspace but secrets, as one JSON file. */
export function Export() {
  const { workspace } = useWorkspace();
  const [busy, setBusy] = useState(false);
  const [fault, setFault] = useState<unknown>(null);
  const run = async () => {
    setBusy(true);
    setFault(null);
    try {
      const { data } = await exportRead({ path: { workspace_id: workspace.id }, parseAs: 'blob', throwOnError: true });
      download(data as unknown as Blob, `${workspace.slug}-${new Date().toISOString().slice(0, 10)}.json`);
    } catch (refusal) {
      setFault(refusal);
    } finally {
      setBusy(false);
    }
  };
  return (
    <SettingsSection
      id="export"
      title="Export"
      about="All records of the workspace in one JSON file, without keys and secrets. At most one export per minute."
    >
      {fault !== null && <ProblemAlert fault={fault} />}
      <Group>
        <Button
          variant="default"
          leftSection={<Download size={16} aria-hidden />}
          loading={busy}
          onClick={() => void run()}
        >
          Export the workspace
        </Button>
      </Group>
    </SettingsSection>
  );
}
