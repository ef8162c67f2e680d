import { Button, Group, Skeleton, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useMembers } from '@/lib/configuration/members';
import { useNames } from '@/lib/configuration/names';
import { isConflict } from '@/lib/requests/problems';
import { absolute } from '@/lib/time/time';
import { type Body, changes, differences, others } from '@/parts/conflict/compare';
import classes from '@/parts/conflict/Conflict.module.css';
import { Modal } from '@/parts/dialogs';
import { ProblemAlert } from '@/parts/ProblemAlert';

export type ConflictProps<Stored> = {
  /** What the write was refused with. */
  fault: unknown;
  /** "rule": for the texts. */
  noun: string;
  load: () => Promise<Stored>;
  /** The fields of a record as a write sends them. */
  bodyOf: (stored: Stored) => object;
  /** The record as the editor was opened. Without it all fields are sent again. */
  opened?: Stored | null;
  yours: object;
  isSaving: boolean;
  onKeep: (sent: Body, latest: Stored) => void;
  onTake: (latest: Stored) => void;
  onClose: () => void;
};

/** Somebody else changed the record in between: what differs, with the choice whose fields remain. */
export function Conflict<Stored>(props: ConflictProps<Stored>) {
  const { fault, noun, onClose } = props;
  return (
    <Modal opened={isConflict(fault)} onClose={onClose} size="lg" title={`Someone else changed this ${noun}`}>
      <Choice {...props} />
    </Modal>
  );
}

function Choice<Stored>({
  fault,
  noun,
  load,
  bodyOf,
  opened,
  yours,
  isSaving,
  onKeep,
  onTake,
  onClose,
}: ConflictProps<Stored>) {
  const names = useNames();
  const members = useMembers();
  const nameOf = (id: string) => (id.startsWith('usr_') ? members.of(id) : names.of(id));
  const { requestId } = fault as { requestId?: string };
  const query = useQuery({ queryKey: ['conflict', requestId], queryFn: load, staleTime: 0, gcTime: 0 });
  if (query.isPending) return <Skeleton h={96} aria-label="Loading" />;
  if (query.error || !query.data) return <ProblemAlert fault={query.error} onRetry={() => query.refetch()} />;
  const stored = query.data;
  const latest = { ...bodyOf(stored) };
  const before = opened ? { ...bodyOf(opened) } : null;
  const sent = before ? changes(before, { ...yours }) : { ...yours };
  const rows = differences(sent, latest, nameOf, absolute);
  const rest = before ? others(before, sent, latest) : [];
  return (
    <Stack gap="sm">
      <Text size="sm">Your changes are not saved yet. Choose which version to keep, or continue editing.</Text>
      {rows.length === 0 ? (
        <Text size="sm">The saved {noun} already has your changes.</Text>
      ) : (
        <table className={classes.table} aria-label="Differences">
          <thead>
            <tr>
              <th scope="col">Field</th>
              <th scope="col">Yours</th>
              <th scope="col">Theirs</th>
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <tr key={row.field}>
                <th scope="row">{row.field}</th>
                <td>{row.yours}</td>
                <td>{row.latest}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {rest.length > 0 && (
        <Text size="sm" className="soft">
          Changed only by them: {rest.join(', ')}. These changes are kept.
        </Text>
      )}
      <Group justify="flex-end" gap="xs">
        <Button variant="default" mih="var(--target)" onClick={onClose}>
          Continue editing
        </Button>
        <Button variant="default" mih="var(--target)" onClick={() => onTake(stored)}>
          Keep theirs
        </Button>
        <Button mih="var(--target)" loading={isSaving} onClick={() => onKeep(sent, stored)}>
          Keep mine
        </Button>
      </Group>
    </Stack>
  );
}
