import { Alert } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { FileCode } from 'lucide-react';
import { keptRecordsListOptions } from '@/api/@tanstack/react-query.gen';
import { useWorkspace } from '@/lib/session/workspace';

/** Says that a file keeps a record, so that changes by hand will be undone; nothing if no file does. */
export function KeptByFile({ id }: { id: string }) {
  const { workspace } = useWorkspace();
  const path = { workspace_id: workspace.id };
  const { data } = useQuery(keptRecordsListOptions({ path, query: { recordId: id } }));
  const kept = data?.items[0];
  if (!kept) return null;
  return (
    <Alert color="yellow" variant="outline" mb="md" role="note" icon={<FileCode size={18} aria-hidden />}>
      <b>Kept by a file.</b> Change it in <b>{kept.file}</b>, where it is <span className="mono">{kept.key}</span>. The
      next application of the file undoes changes that are made here.
    </Alert>
  );
}
