import { Button, Text, Title } from '@mantine/core';
import { useState } from 'react';
import type { OverrideRecord } from '@/api';
import { useSession, useWorkspace } from '@/lib/session/workspace';
import { listed } from '@/lib/words/words';
import { say } from '@/parts/toast';
import classes from '@/screens/on-call/OnCall.module.css';
import { OverrideDialog } from '@/screens/on-call/OverrideDialog';
import { remove } from '@/screens/on-call/useCover';
import { periodText } from '@/screens/on-call/words';

type Props = { overrides: readonly OverrideRecord[]; nameOf: (userId: string) => string };

/** The overrides that have not ended, with the ways to edit and to remove them. */
export function Overrides({ overrides, nameOf }: Props) {
  const [editedId, setEditedId] = useState<string | null>(null);
  if (overrides.length === 0) return null;
  return (
    <section className={classes.section} aria-labelledby="overrides">
      <Title order={2} id="overrides" mb={4}>
        Overrides
      </Title>
      <ul className={classes.shifts}>
        {overrides.map((each) => (
          <Row key={each.id} override={each} nameOf={nameOf} onEdit={() => setEditedId(each.id)} />
        ))}
      </ul>
      <OverrideDialog
        override={overrides.find((each) => each.id === editedId) ?? null}
        onClose={() => setEditedId(null)}
      />
    </section>
  );
}

type RowProps = { override: OverrideRecord; nameOf: Props['nameOf']; onEdit: () => void };

function Row({ override, nameOf, onEdit }: RowProps) {
  const { me } = useSession();
  const { can } = useWorkspace();
  const [busy, setBusy] = useState(false);
  const mayChange = can('admin') || (can('member') && override.createdBy === me.id);
  const text = effectText(override, nameOf);
  const end = async () => {
    setBusy(true);
    if (await remove(override)) say('Override removed');
    setBusy(false);
  };
  return (
    <li>
      <span>
        <strong>{text}</strong>, {periodText(override)}
        {override.reason && (
          <Text component="span" size="sm" className="soft">
            {' '}
            · {override.reason}
          </Text>
        )}
      </span>
      {mayChange && (
        <span className={classes.acts}>
          <Button
            size="compact-sm"
            variant="default"
            mih="var(--target)"
            aria-label={`Edit the override ${text}, ${periodText(override)}`}
            onClick={onEdit}
          >
            Edit
          </Button>
          <Button
            size="compact-sm"
            variant="default"
            mih="var(--target)"
            loading={busy}
            aria-label={`Remove the override ${text}, ${periodText(override)}`}
            onClick={() => void end()}
          >
            Remove
          </Button>
        </span>
      )}
    </li>
  );
}

/** "Mia instead of Adam", "Mia in addition", "Without Mia". */
export function effectText({ kind, userIds, insteadOf }: OverrideRecord, nameOf: (id: string) => string): string {
  const people = listed(userIds.map(nameOf)) || 'Nobody';
  if (kind === 'add') return `${people} in addition`;
  if (kind === 'remove') return `Without ${people}`;
  return insteadOf === null ? people : `${people} instead of ${nameOf(insteadOf)}`;
}
