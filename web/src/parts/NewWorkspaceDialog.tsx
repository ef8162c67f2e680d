import { Button } from '@mantine/core';
import { Modal } from '@/parts/dialogs';
import { NewWorkspaceForm } from '@/parts/NewWorkspace';

/** A dialog for another workspace, which has separate members, sources and rules. */
export default function NewWorkspaceDialog({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  const cancel = (
    <Button variant="default" onClick={onClose}>
      Cancel
    </Button>
  );
  return (
    <Modal opened={opened} onClose={onClose} title="Create a workspace">
      <NewWorkspaceForm cancel={cancel} onCreated={onClose} />
    </Modal>
  );
}
