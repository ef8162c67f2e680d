import { Button, Group, Select } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { Send } from 'lucide-react';
import { useState } from 'react';
import type { SourceRecord } from '@/api';
import { sourcesSendTestEventMutation } from '@/api/@tanstack/react-query.gen';
import { SEVERITIES, SEVERITY_WORD, type Severity } from '@/lib/words/words';
import { say, sayFault } from '@/parts/toast';

/** Sends an event of this source without a key. The event takes the whole path: rules, incident, notices. */
export function TestEvent({ source }: { source: SourceRecord }) {
  const [severity, setSeverity] = useState<Severity>('ERROR');
  const send = useMutation({
    ...sourcesSendTestEventMutation(),
    onSuccess: () => say(`Test event of ${source.name} sent.`),
    onError: sayFault,
  });
  return (
    <Group gap="xs" align="flex-end">
      <Select
        label="Test event severity"
        w={190}
        allowDeselect={false}
        data={SEVERITIES.map((each) => ({ value: each, label: SEVERITY_WORD[each] }))}
        value={severity}
        onChange={(value) => value && setSeverity(value)}
      />
      <Button
        variant="default"
        leftSection={<Send size={15} aria-hidden />}
        loading={send.isPending}
        disabled={!source.enabled}
        onClick={() => send.mutate({ path: { source_id: source.id }, body: { severity } })}
      >
        Send a test event
      </Button>
    </Group>
  );
}
