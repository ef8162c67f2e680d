import { Group, Text } from '@mantine/core';
import type { ViewRecord } from '@/api';
import { Modal } from '@/parts/dialogs';
import { Deleted } from '@/parts/history/Deleted';
import classes from '@/screens/inbox/ViewList.module.css';
import { ViewRow } from '@/screens/inbox/ViewRow';

type Props = { opened: boolean; onClose: () => void; views: readonly ViewRecord[] };

/** All saved views. A shared view of somebody else needs the role admin. */
export default function ViewList({ opened, onClose, views }: Props) {
  return (
    <Modal opened={opened} onClose={onClose} title="Views" size="lg">
      {views.length === 0 && <Text className="soft">No view is saved.</Text>}
      <ul className={classes.views}>
        {views.map((view) => (
          <ViewRow key={view.id} view={view} />
        ))}
      </ul>
      <Group mt="md">
        <Deleted kind="views" />
      </Group>
    </Modal>
  );
}
