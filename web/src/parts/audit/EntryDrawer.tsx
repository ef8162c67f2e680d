import { Button, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import type { AuditRecord } from '@/api';
import { actionText } from '@/parts/audit/actions';
import { Details } from '@/parts/audit/Details';
import { CopyButton } from '@/parts/CopyButton';
import { Drawer } from '@/parts/dialogs';
import styles from '@/parts/styles.module.css';
import { TimeAt } from '@/parts/TimeAgo';

/** One entry with everything that it holds. */
export function EntryDrawer({
  entry,
  onClose,
  onFilter,
}: {
  entry: AuditRecord | null;
  onClose: () => void;
  /** Narrows the list. Without it, the list has no such filters. */
  onFilter?: (name: 'targetId' | 'request', value: string) => void;
}) {
  return (
    <Drawer
      opened={entry !== null}
      onClose={onClose}
      position="right"
      size="lg"
      title={entry ? actionText(entry.action) : ''}
      closeButtonProps={{ 'aria-label': 'Close', size: 44, iconSize: 20 }}
    >
      {entry && (
        <Stack gap="sm">
          <Fact name="When">
            <TimeAt at={entry.at} />
          </Fact>
          <Fact name="Who">
            {entry.actor.name || entry.actor.type} <span className="soft mono">{entry.actor.id}</span>
          </Fact>
          <Fact name="Target">
            {entry.target.name || entry.target.type} <span className="soft mono">{entry.target.id}</span>
            {entry.target.id && onFilter && (
              <More onClick={() => onFilter('targetId', entry.target.id)}>All entries of this target</More>
            )}
          </Fact>
          <Fact name="Address">
            <span className="mono">{entry.ip || 'None'}</span>
          </Fact>
          <Fact name="Request">
            <span className="mono">{entry.requestId || 'None'}</span>
            {entry.requestId && <CopyButton value={entry.requestId} label="Copy the request id" inline />}
            {entry.requestId && onFilter && (
              <More onClick={() => onFilter('request', entry.requestId)}>All entries of this request</More>
            )}
          </Fact>
          <Details details={entry.details} />
        </Stack>
      )}
    </Drawer>
  );
}

function More({ onClick, children }: { onClick: () => void; children: ReactNode }) {
  return (
    <div>
      <Button variant="default" size="compact-sm" mt={4} onClick={onClick}>
        {children}
      </Button>
    </div>
  );
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className={styles.anywhere}>
      <Text size="xs" className="soft">
        {name}
      </Text>
      <Text size="sm" component="div">
        {children}
      </Text>
    </div>
  );
}
