import { Button, Group, Select, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { Send } from 'lucide-react';
import type { DestinationRecord, ScheduleRecord } from '@/api';
import { destinationsTestMutation } from '@/api/@tanstack/react-query.gen';
import { useNames } from '@/lib/configuration/names';
import { ProblemAlert } from '@/parts/ProblemAlert';
import styles from '@/parts/styles.module.css';

type Value = ScheduleRecord['noticeDestinationId'];
type Props = { value: Value; onChange: (value: Value) => void; fault: string | undefined };

/** The destination of the team that is told of each handoff, with a test. */
export function ChannelField({ value, onChange, fault }: Props) {
  const { destinations, of } = useNames();
  const test = useMutation(destinationsTestMutation());
  const known = destinations.some((each) => each.value === value);
  const send = () => value && test.mutate({ path: { destination_id: value as DestinationRecord['id'] } });
  return (
    <div className={styles.section}>
      <Group gap="xs" align="flex-end" wrap="wrap">
        <Select
          label="Channel"
          description="Optional. A destination that is told who is on call, and who is next, when that changes."
          placeholder="None"
          flex="1 1 260px"
          searchable
          clearable
          clearButtonProps={{ 'aria-label': 'No channel' }}
          data={value && !known ? [...destinations, { value, label: of(value) }] : destinations}
          value={value}
          onChange={(next) => {
            test.reset();
            onChange(next);
          }}
          error={fault}
          nothingFoundMessage="No destination"
        />
        {value && (
          <Button
            variant="default"
            mih="var(--target)"
            leftSection={<Send size={15} aria-hidden />}
            loading={test.isPending}
            onClick={send}
          >
            Send a test
          </Button>
        )}
      </Group>
      <div aria-live="polite">
        {test.error && <ProblemAlert fault={test.error} />}
        {test.data && (
          <Text size="sm" className={test.data.status === 'sent' ? undefined : styles.critical}>
            {test.data.status === 'sent'
              ? 'The test was sent. Check that it arrived.'
              : 'The test was not accepted. The destination has the reason.'}
          </Text>
        )}
      </div>
    </div>
  );
}
