import { Group, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ViewRecord } from '@/api';
import { keptRecordsListOptions } from '@/api/@tanstack/react-query.gen';
import { useWorkspace } from '@/lib/session/workspace';
import { Modal } from '@/parts/dialogs';
import { Deleted } from '@/parts/history/Deleted';
import classes from '@/screens/inbox/ViewList.module.css';
import { ViewRow } from '@/screens/inbox/ViewRow';

type Props = { opened: boolean; onClose: () => void; views: readonly ViewRecord[] };

const MOST_KEPT = 200;

/** All saved views. A shared view of somebody else needs the role admin. */
export default function ViewList({ opened, onClose, views }: Props) {
  const { workspace } = useWorkspace();
  const path = { workspace_id: workspace.id };
  const { data } = useQuery(keptRecordsListOptions({ path, query: { type: 'view', limit: MOST_KEPT } }));
  const kept = new Map(data?.items.map((each) => [each.recordId, each]));
  return (
    <Modal opened={opened} onClose={onClose} title="Views" size="lg">
      {views.length === 0 && <Text className="soft">No view is saved.</Text>}
      <ul className={classes.views}>
        {views.map((view) => (
          <ViewRow key={view.id} view={view} kept={kept.get(view.id)} />
        ))}
      </ul>
      <Group mt="md">
        <Deleted kind="views" />
      </Group>
    </Modal>
  );
}
