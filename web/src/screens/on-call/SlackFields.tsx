import { Checkbox, Select, Stack, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ScheduleRecord } from '@/api';
import { destinationsListOptions } from '@/api/@tanstack/react-query.gen';
import { useWorkspace } from '@/lib/session/workspace';
import styles from '@/parts/styles.module.css';
import type { ScheduleForm } from '@/screens/on-call/draft';

type Props = {
  form: ScheduleForm;
  onChange: (form: ScheduleForm) => void;
  faults: Readonly<Record<string, string>>;
  stored: ScheduleRecord['slack'];
};

/** What shows in Slack who is on call: a user group, and the topic of the destination's channel. */
export function SlackFields({ form, onChange, faults, stored }: Props) {
  const { workspace } = useWorkspace();
  const { slack } = form;
  const all = useQuery(
    destinationsListOptions({
      query: { workspaceId: workspace.id, limit: 200, sort: 'name', order: 'asc' },
    }),
  );
  const destinations = (all.data?.items ?? [])
    .filter((each) => each.kind === 'slack')
    .map((each) => ({ value: each.id, label: each.name }));
  if (destinations.length === 0 && slack === null) return null;
  const put = (change: Partial<NonNullable<ScheduleForm['slack']>>) =>
    slack && onChange({ ...form, slack: { ...slack, ...change } });
  return (
    <Stack gap="sm" className={styles.section}>
      <Select
        label="Slack"
        description="Optional. A destination with a bot token, which shows there who is on call."
        placeholder="None"
        searchable
        clearable
        clearButtonProps={{ 'aria-label': 'No Slack' }}
        data={destinations}
        value={slack?.destinationId ?? null}
        error={faults.slack ?? faults['slack.destinationId']}
        nothingFoundMessage="No Slack destination"
        onChange={(id) =>
          onChange({
            ...form,
            slack:
              id === null
                ? null
                : {
                    userGroupId: null,
                    setsTopic: true,
                    ...slack,
                    destinationId: id,
                  },
          })
        }
      />
      {slack && (
        <>
          <TextInput
            label="User group"
            description="Optional. Its id in Slack, such as S0123456789. Its members become the people on call."
            value={slack.userGroupId ?? ''}
            error={faults['slack.userGroupId']}
            onChange={(event) => put({ userGroupId: event.currentTarget.value.trim() || null })}
          />
          <Checkbox
            label="Set the topic of the channel"
            checked={slack.setsTopic}
            onChange={(event) => put({ setsTopic: event.currentTarget.checked })}
          />
        </>
      )}
      {stored?.failure && (
        <Text size="sm" className={styles.critical}>
          Slack does not show who is on call: {stored.failure}
        </Text>
      )}
    </Stack>
  );
}
