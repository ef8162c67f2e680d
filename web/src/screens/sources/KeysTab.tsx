import { Button, Group, Menu, ActionIcon, Stack, Text } from '@mantine/core';
import { useInfiniteQuery, useMutation, useQuery } from '@tanstack/react-query';
import { Ban, EllipsisVertical, KeyRound, Plus, RotateCw } from 'lucide-react';
import { useState } from 'react';
import type { KeyRecord } from '@/api';
import {
  keysOfSourceInfiniteOptions,
  keysRevokeMutation,
  sourceKindsListOptions,
} from '@/api/@tanstack/react-query.gen';
import { KEY_KINDS } from '@/lib/configuration/keyKinds';
import { pages } from '@/lib/requests/pages';
import { refresh } from '@/lib/requests/refresh';
import { useWorkspace } from '@/lib/session/workspace';
import { type Column, DataTable } from '@/parts/DataTable';
import { Modal } from '@/parts/dialogs';
import { EmptyState } from '@/parts/EmptyState';
import { isOver, KeyState } from '@/parts/KeyState';
import { LastUse } from '@/parts/LastUse';
import styles from '@/parts/styles.module.css';
import { TimeAgo } from '@/parts/TimeAgo';
import { say, sayFault } from '@/parts/toast';
import { CreateKey, type KeyChoice } from '@/screens/sources/CreateKey';
import classes from '@/screens/sources/Sources.module.css';
import type { TabProps } from '@/screens/sources/tabProps';
import { useNewKey } from '@/screens/sources/useNewKey';

type Question = { about: 'rotate' | 'revoke'; key: KeyRecord };

export function KeysTab(props: TabProps) {
  const { can } = useWorkspace();
  if (!can('admin'))
    return (
      <EmptyState icon={KeyRound} title="Only administrators can view keys">
        You need the Admin role to view them.
      </EmptyState>
    );
  return <Keys {...props} />;
}

/** The keys of the source, rotated and revoked ones too, and what can be done with them. */
function Keys({ source, onFresh }: TabProps) {
  const query = useInfiniteQuery({
    ...keysOfSourceInfiniteOptions({ path: { source_id: source.id }, query: { limit: 50, order: 'desc' } }),
    ...pages,
  });
  const [question, setQuestion] = useState<Question | null>(null);
  const [begin, setBegin] = useState<KeyChoice | null>(null);
  const newKey = useNewKey(source, onFresh);
  const kinds = useQuery({ ...sourceKindsListOptions(), staleTime: Infinity });
  const toolLabel = (tool: string) => kinds.data?.items.find((each) => each.kind === tool)?.label ?? tool;
  const columns: Column<KeyRecord>[] = [
    {
      header: 'Name',
      cell: (key) => (
        <>
          <span className={classes.keyName}>{key.name || 'Key'}</span>
          {key.kind !== 'source_key' && (
            <Text size="sm" className="soft">
              {KEY_KINDS[key.kind].label}
              {key.tool && ` of ${toolLabel(key.tool)}`}
            </Text>
          )}
        </>
      ),
    },
    { header: 'Key', cell: (key) => <span className="mono">…{key.hint}</span>, width: 90 },
    { header: 'State', cell: (key) => <KeyState of={key} />, width: 190 },
    {
      header: 'Last used',
      cell: (key) => <LastUse of={key} />,
      width: 190,
      secondary: true,
    },
    {
      header: 'Created',
      cell: (key) => (
        <>
          <TimeAgo at={key.createdAt} />
          {key.createdBy && <span className="soft"> by {key.createdBy.name}</span>}
        </>
      ),
      width: 200,
      secondary: true,
    },
    {
      header: 'Actions',
      cell: (key) =>
        key.revokedAt || isOver(key) ? null : <KeyActs of={key} onAsk={(about) => setQuestion({ about, key })} />,
      width: 60,
    },
  ];
  const button = (
    <Button leftSection={<Plus size={15} aria-hidden />} onClick={() => setBegin({ kind: 'source_key', tool: null })}>
      Create a key
    </Button>
  );
  return (
    <>
      <Group justify="space-between" px="md" py="sm">
        <Advice />
        {button}
      </Group>
      <DataTable
        label="Keys"
        columns={columns}
        query={query}
        rowKey={(key) => key.id}
        empty={
          <EmptyState icon={KeyRound} title="No key yet" action={button}>
            Without a key, nothing can send events to this source.
          </EmptyState>
        }
      />
      <Confirmation question={question} onClose={() => setQuestion(null)} source={source} newKey={newKey} />
      <CreateKey begin={begin} onClose={() => setBegin(null)} newKey={newKey} />
      {newKey.dialog}
    </>
  );
}

function Advice() {
  return (
    <Text size="sm" className="soft">
      Use a separate key for each sender, so that you can revoke one without affecting the others.
    </Text>
  );
}

function KeyActs({ of: key, onAsk }: { of: KeyRecord; onAsk: (about: 'rotate' | 'revoke') => void }) {
  return (
    <Menu position="bottom-end" classNames={{ item: styles.target }}>
      <Menu.Target>
        <ActionIcon aria-label={`Actions for the key ${key.name || key.hint}`}>
          <EllipsisVertical size={16} aria-hidden />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {key.graceEndsAt === null && (
          <Menu.Item leftSection={<RotateCw size={15} aria-hidden />} onClick={() => onAsk('rotate')}>
            Rotate
          </Menu.Item>
        )}
        <Menu.Item leftSection={<Ban size={15} aria-hidden />} onClick={() => onAsk('revoke')}>
          Revoke now
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

type ConfirmationProps = {
  question: Question | null;
  onClose: () => void;
  source: TabProps['source'];
  newKey: ReturnType<typeof useNewKey>;
};

/** Each act is explained before it happens. */
function Confirmation({ question, onClose, source, newKey }: ConfirmationProps) {
  const revoke = useMutation({ ...keysRevokeMutation(), onError: sayFault });
  const onRevoke = (key: KeyRecord) =>
    revoke.mutate(
      { path: { source_id: source.id, key_id: key.id } },
      {
        onSuccess: () => {
          onClose();
          say(`The key …${key.hint} is revoked.`);
          void refresh('keysOfSource', 'keysList');
        },
      },
    );
  const title = question ? `${question.about === 'rotate' ? 'Rotate' : 'Revoke'} the key …${question.key.hint}` : '';
  return (
    <Modal opened={question !== null} onClose={onClose} title={title}>
      {question?.about === 'rotate' && (
        <Stack gap="xs">
          <Text>A new key is created at once and shown to you once.</Text>
          <Text>The old key works for another 24 hours. Until then, both keys are accepted.</Text>
          <Foot onCancel={onClose}>
            <Button loading={newKey.isPending} onClick={() => newKey.rotate(question.key, onClose)}>
              Rotate the key
            </Button>
          </Foot>
        </Stack>
      )}
      {question?.about === 'revoke' && (
        <Stack gap="xs">
          <Text>The key stops working immediately. There is no grace period, and this cannot be undone.</Text>
          <Text className="soft" size="sm">
            {question.key.lastUsedAt ? (
              <>
                It was last used <TimeAgo at={question.key.lastUsedAt} />
                {question.key.lastUsedFrom && ` from ${question.key.lastUsedFrom.network}`}.
              </>
            ) : (
              'It was never used.'
            )}
          </Text>
          <Foot onCancel={onClose}>
            <Button color="red" loading={revoke.isPending} onClick={() => onRevoke(question.key)}>
              Revoke the key
            </Button>
          </Foot>
        </Stack>
      )}
    </Modal>
  );
}

function Foot({ onCancel, children }: { onCancel: () => void; children: React.ReactNode }) {
  return (
    <Group justify="flex-end" mt="md">
      <Button variant="default" onClick={onCancel}>
        Cancel
      </Button>
      {children}
    </Group>
  );
}
