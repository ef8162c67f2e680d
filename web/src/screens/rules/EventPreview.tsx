import { Select, Skeleton, Text, Textarea } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { previewsCreateOfEvent, type EventPreviewRecord, type EventPreviewRequest, type RuleRecord } from '@/api';
import { useNames } from '@/lib/configuration/names';
import { useWorkspace } from '@/lib/session/workspace';
import { ProblemAlert } from '@/parts/ProblemAlert';
import { bodyOf, isReady, type RuleForm } from '@/screens/rules/draft';
import { EXAMPLE, pastedEvent } from '@/screens/rules/pastedEvent';
import classes from '@/screens/rules/Rules.module.css';

type Props = { form: RuleForm; id: RuleRecord['id'] | null; eventId: string | null };

/** What the rules would do with one event: a stored one, or one that is pasted. Nothing is sent. */
export function EventPreview({ form, id, eventId }: Props) {
  const { workspace } = useWorkspace();
  const { sources } = useNames();
  const [text, setText] = useState(EXAMPLE);
  const [chosen, setChosen] = useState<string | null>(null);
  const source = chosen ?? form.sourceIds[0] ?? sources[0]?.value ?? null;
  const { event, fault } = pastedEvent(text);
  const isComplete = isReady(form) && (eventId !== null || (event !== null && source !== null));
  const request = {
    workspaceId: workspace.id,
    rule: isComplete && { ...bodyOf(form), ...(id ? { id } : {}) },
    ...(eventId === null ? { event, sourceId: source } : { eventId }),
  };
  const [settled] = useDebouncedValue(isComplete ? JSON.stringify(request) : '', 600);
  const query = useQuery({
    queryKey: ['eventPreview', workspace.id, settled],
    queryFn: async ({ signal }) => {
      const body = JSON.parse(settled) as EventPreviewRequest;
      return (await previewsCreateOfEvent({ body, throwOnError: true, signal })).data;
    },
    enabled: settled !== '',
    staleTime: 30_000,
    retry: false,
    placeholderData: keepPreviousData,
  });
  return (
    <>
      {eventId === null && (
        <>
          <Select
            label="From"
            data={sources}
            value={source}
            searchable
            allowDeselect={false}
            placeholder="Create a source first"
            nothingFoundMessage="No source"
            onChange={setChosen}
          />
          <Textarea
            label="Event as JSON"
            mt="xs"
            autosize
            minRows={4}
            maxRows={14}
            spellCheck={false}
            classNames={{ input: 'mono' }}
            value={text}
            error={fault}
            onChange={(change) => setText(change.currentTarget.value)}
          />
        </>
      )}
      {isComplete && query.error && <ProblemAlert fault={query.error} onRetry={() => query.refetch()} />}
      {isComplete && query.isPending && <Skeleton h={120} mt="sm" />}
      {isComplete && !query.error && query.data && <Result result={query.data} />}
    </>
  );
}

function Result({ result }: { result: EventPreviewRecord }) {
  const { after, before, changed, event, notices, rules } = result;
  return (
    <>
      <Text size="sm" fw={600} role="status" mt="sm">
        {event.title}: {after.text}
      </Text>
      <Text size="sm" className="soft">
        {changed ? `With the saved rules: ${before.text}` : 'Same outcome with the saved rules.'}
      </Text>
      {notices.after.map((notice) => (
        <Text key={notice.reason} size="sm" mt={4}>
          {notice.text}
        </Text>
      ))}
      <h3 className={classes.smallTitle}>Rules in order</h3>
      <ol className={classes.results}>
        {rules.map((rule) => (
          <li key={rule.ruleId} data-matched={rule.matched || undefined}>
            <span>{rule.text}</span>
            {rule.clauses.length > 0 && (
              <span className="soft mono">
                {rule.clauses.map((each) => `${each.matched ? '✓' : '✗'} ${each.clause}`).join('  ')}
              </span>
            )}
          </li>
        ))}
      </ol>
    </>
  );
}
