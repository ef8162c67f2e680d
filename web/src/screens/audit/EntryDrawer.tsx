import { Button, Drawer, Stack, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import type { AuditRecord } from '@/api';
import { CopyButton } from '@/parts/CopyButton';
import { TimeAt } from '@/parts/TimeAgo';
import { actionText } from '@/screens/audit/actions';

/** One entry with everything that it holds. */
export function EntryDrawer({
  entry,
  onClose,
  onFilter,
}: {
  entry: AuditRecord | null;
  onClose: () => void;
  onFilter: (name: 'targetId' | 'request', value: string) => void;
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
            {entry.target.id && (
              <More onClick={() => onFilter('targetId', entry.target.id)}>All entries of this target</More>
            )}
          </Fact>
          <Fact name="Address">
            <span className="mono">{entry.ip || 'None'}</span>
          </Fact>
          <Fact name="Request">
            <span className="mono">{entry.requestId || 'None'}</span>
            {entry.requestId && <CopyButton value={entry.requestId} label="Copy the request id" inline />}
            {entry.requestId && (
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
    <div style={{ overflowWrap: 'anywhere' }}>
      <Text size="xs" className="soft">
        {name}
      </Text>
      <Text size="sm" component="div">
        {children}
      </Text>
    </div>
  );
}

function Details({ details }: { details: { [key: string]: unknown } }) {
  if (Object.keys(details).length === 0) return null;
  return (
    <section>
      <Title order={2}>Details</Title>
      <pre
        style={{
          margin: '8px 0 0',
          padding: 12,
          fontFamily: 'var(--mono)',
          fontSize: 12,
          whiteSpace: 'pre-wrap',
          overflowWrap: 'anywhere',
          background: 'var(--ground-soft)',
          border: '1px solid var(--line)',
          borderRadius: 6,
        }}
      >
        {JSON.stringify(details, null, 2)}
      </pre>
    </section>
  );
}
