import { Button } from '@mantine/core';
import { Download } from 'lucide-react';
import { useState } from 'react';
import { auditExport } from '@/api';
import { download } from '@/lib/requests/download';
import { useWorkspace } from '@/lib/session/workspace';
import { sayFault } from '@/parts/toast';
import type { Filters } from '@/screens/audit/filters';

/** All entries under the filters, as a file of JSON lines. */
export function ExportButton({ filters }: { filters: Filters }) {
  const { workspace } = useWorkspace();
  const [busy, setBusy] = useState(false);
  const run = async () => {
    setBusy(true);
    try {
      const path = { workspace_id: workspace.id };
      const { data } = await auditExport({ path, query: filters, parseAs: 'blob', throwOnError: true });
      download(data as unknown as Blob, `${workspace.slug}-audit-${new Date().toISOString().slice(0, 10)}.jsonl`);
    } catch (fault) {
      sayFault(fault);
    } finally {
      setBusy(false);
    }
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
