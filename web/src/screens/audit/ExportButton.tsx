import { Button } from '@mantine/core';
import { Download } from 'lucide-react';
import { useState } from 'react';
import { auditExport } from '@/api';
import { useWorkspace } from '@/lib/session/workspace';
import { saveFile } from '@/parts/saveFile';
import type { Filters } from '@/screens/audit/filters';

/** All entries under the filters, as a file of JSON lines. */
export function ExportButton({ filters }: { filters: Filters }) {
  const { workspace } = useWorkspace();
  const [busy, setBusy] = useState(false);
  const run = async () => {
    setBusy(true);
    const path = { workspace_id: workspace.id };
    const read = () => auditExport({ path, query: filters, parseAs: 'blob', throwOnError: true });
    await saveFile(read, `${workspace.slug}-audit`, 'jsonl');
    setBusy(false);
  };
  return (
    <Button
      variant="default"
      leftSection={<Download size={15} aria-hidden />}
      loading={busy}
      onClick={() => void run()}
    >
      Export JSONL
    </Button>
  );
}
