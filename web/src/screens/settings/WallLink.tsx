import { Button, Group, Text } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'wouter';
import {
  wallsCreateLinkMutation,
  wallsReadLinkOptions,
  wallsRemoveLinkMutation,
} from '@/api/@tanstack/react-query.gen';
import { refresh } from '@/lib/requests/refresh';
import { useWorkspace } from '@/lib/session/workspace';
import { Answers } from '@/parts/Answers';
import { Modal } from '@/parts/dialogs';
import { SettingsSection } from '@/parts/SettingsSection';
import { CodeBlock } from '@/parts/Snippets';
import { TimeAgo } from '@/parts/TimeAgo';
import { say, sayFault } from '@/parts/toast';

/** The link that shows the wall display on a screen without an account. */
export function WallLink() {
  const { workspace, href } = useWorkspace();
  const path = { workspace_id: workspace.id };
  const { data } = useQuery(wallsReadLinkOptions({ path }));
  const [made, setMade] = useState<string | null>(null);
  const [question, setQuestion] = useState<'replace' | 'revoke' | null>(null);
  const close = () => setQuestion(null);
  const create = useMutation({
    ...wallsCreateLinkMutation(),
    gcTime: 0,
    onError: sayFault,
    onSuccess: ({ link }) => {
      close();
      setMade(link);
      create.reset();
      void refresh('wallsReadLink');
    },
  });
  const remove = useMutation({
    ...wallsRemoveLinkMutation(),
    onError: sayFault,
    onSuccess: () => {
      close();
      setMade(null);
      say('The link is revoked. Displays that use it show nothing.');
      void refresh('wallsReadLink');
    },
  });
  const hasLink = Boolean(data?.createdAt);
  return (
    <SettingsSection
      id="wall"
      title="Wall display"
      about="A link shows open incidents on a screen without an account. Anyone with the link can see their titles and the names of heartbeats, and can change nothing."
    >
      {made && <Made link={made} />}
      {data?.createdAt && (
        <Text size="sm">
          There is a link, created <TimeAgo at={data.createdAt} />.
        </Text>
      )}
      <Group gap="xs">
        <Button
          variant="default"
          loading={create.isPending}
          onClick={() => (hasLink ? setQuestion('replace') : create.mutate({ path }))}
        >
          {hasLink ? 'Replace the link' : 'Create a link'}
        </Button>
        {hasLink && (
          <Button variant="default" onClick={() => setQuestion('revoke')}>
            Revoke the link
          </Button>
        )}
        <Button component={Link} href={href('wall')} variant="subtle">
          Open the wall display
        </Button>
      </Group>
      <Modal
        opened={question !== null}
        onClose={close}
        title={question === 'replace' ? 'Replace the link' : 'Revoke the link'}
      >
        <Text size="sm">Displays that use the current link show nothing from their next read on.</Text>
        <Answers
          label={question === 'replace' ? 'Replace the link' : 'Revoke the link'}
          color={question === 'revoke' ? 'red' : undefined}
          busy={create.isPending || remove.isPending}
          onCancel={close}
          onConfirm={() => (question === 'replace' ? create : remove).mutate({ path })}
        />
      </Modal>
    </SettingsSection>
  );
}

/** The new link, until the page is left. */
function Made({ link }: { link: string }) {
  return (
    <div role="status">
      <Text size="sm" mb={4}>
        The link is shown once. Open it on the screen now.
      </Text>
      <CodeBlock text={link} label="Link to the wall display" />
    </div>
  );
}
