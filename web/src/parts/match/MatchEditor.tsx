import { Button, Group, SegmentedControl, Select, Stack, Text, Textarea } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Plus } from 'lucide-react';
import { useState } from 'react';
import { rulesParse } from '@/api';
import { rulesVocabularyOptions } from '@/api/@tanstack/react-query.gen';
import { isProblem, message, sentence } from '@/lib/requests/problems';
import { ClauseRow } from '@/parts/match/ClauseRow';
import { pointed } from '@/parts/match/pointer';
import { isComplete, type Match, requestOf, type Simple, simpleOf } from '@/parts/match/tree';
import styles from '@/parts/styles.module.css';
import { sayFault } from '@/parts/toast';

type Props = { match: Match; onChange: (match: Match) => void; every: string; error?: string };

/** A match as conditions or as one line of text. Each form is converted by the server, so that both mean the same. */
export function MatchEditor({ match, onChange, every, error }: Props) {
  const [note, setNote] = useState('');
  const reading = useReading(match);
  const fault = reading.fault ?? error;
  const change = (next: Match) => {
    setNote('');
    onChange(next);
  };
  const turn = async (mode: string) => {
    if ((mode === 'text') === 'text' in match) return;
    if (!isComplete(match)) {
      setNote('Complete or remove the unfinished conditions first.');
      return;
    }
    try {
      const { data } = await rulesParse({ body: requestOf(match), throwOnError: true });
      if (mode === 'text') return change({ text: data.matchText });
      const simple = simpleOf(data.match);
      if (simple) change({ simple });
      else setNote('The conditions are nested. The builder shows only one level, so edit them as text.');
    } catch (fault) {
      if (isProblem(fault) && fault.status === 422) setNote(faultOf(fault));
      else sayFault(fault);
    }
  };
  return (
    <Stack gap="xs">
      <Group justify="space-between">
        <Text fw={600} size="sm" component="h2">
          Condition
        </Text>
        <SegmentedControl
          size="xs"
          aria-label="Form of the condition"
          value={'text' in match ? 'text' : 'builder'}
          onChange={(mode) => void turn(mode)}
          data={[
            { value: 'builder', label: 'Builder' },
            { value: 'text', label: 'Text' },
          ]}
          classNames={{ label: styles.tallLabel }}
        />
      </Group>
      {'text' in match ? (
        <Textarea
          aria-label="Condition as text"
          autosize
          minRows={2}
          maxRows={10}
          spellCheck={false}
          classNames={{ input: styles.expression }}
          value={match.text}
          onChange={(event) => change({ text: event.currentTarget.value })}
          error={fault && <Pointed fault={fault} text={match.text} />}
          errorProps={{ component: 'div' }}
          placeholder='severity >= ERROR and resource startsWith "host:db"'
        />
      ) : (
        <Builder simple={match.simple} onChange={(simple) => change({ simple })} every={every} />
      )}
      {note && (
        <Text size="sm" role="status" c="var(--severity-warning)">
          {note}
        </Text>
      )}
      {'simple' in match && fault && (
        <Text size="sm" role="alert" c="var(--severity-critical)">
          {fault}
        </Text>
      )}
      {'simple' in match && match.simple.clauses.length > 0 && reading.text && (
        <Text size="xs" className={`soft mono ${styles.anywhere}`}>
          {reading.text}
        </Text>
      )}
    </Stack>
  );
}

/** What is wrong with the text, below a caret under the word. */
function Pointed({ fault, text }: { fault: string; text: string }) {
  const found = pointed(fault, text);
  if (!found) return <>{fault}</>;
  return (
    <>
      <pre className={styles.pointer} aria-hidden>
        {found.part}
        {'\n'}
        {' '.repeat(found.at)}
        {'^'.repeat(found.length)}
      </pre>
      {found.detail}
    </>
  );
}

function Builder({ simple, onChange, every }: { simple: Simple; onChange: (simple: Simple) => void; every: string }) {
  const vocabulary = useQuery({ ...rulesVocabularyOptions(), staleTime: Infinity });
  const { clauses } = simple;
  const add = () => onChange({ ...simple, clauses: [...clauses, { field: 'severity', op: 'gte', value: 'ERROR' }] });
  return (
    <Stack gap="xs">
      {clauses.length === 0 && (
        <Text size="sm" className="soft">
          {every}
        </Text>
      )}
      {clauses.length > 1 && (
        <Select
          aria-label="How conditions are joined"
          w={220}
          allowDeselect={false}
          value={simple.join}
          data={[
            { value: 'all', label: 'All conditions match' },
            { value: 'any', label: 'Any condition matches' },
          ]}
          onChange={(join) => onChange({ ...simple, join: join === 'any' ? 'any' : 'all' })}
        />
      )}
      {vocabulary.data &&
        clauses.map((clause, index) => (
          <ClauseRow
            key={index}
            index={index}
            clause={clause}
            vocabulary={vocabulary.data}
            onChange={(next) =>
              onChange({ ...simple, clauses: clauses.map((each, at) => (at === index ? next : each)) })
            }
            onRemove={() => onChange({ ...simple, clauses: clauses.filter((_, at) => at !== index) })}
          />
        ))}
      <Button
        variant="default"
        onClick={add}
        leftSection={<Plus size={15} aria-hidden />}
        className={styles.start}
        mih="var(--target)"
        disabled={vocabulary.data !== undefined && clauses.length >= vocabulary.data.limits.clauses}
      >
        Add a condition
      </Button>
    </Stack>
  );
}

/** The text of a complete match, or what is wrong with it, half a second after the last change. */
function useReading(match: Match): { text: string; fault: string | undefined } {
  const [settled] = useDebouncedValue(JSON.stringify(isComplete(match) ? requestOf(match) : null), 500);
  const query = useQuery({
    queryKey: ['parsed', settled],
    queryFn: async ({ signal }) =>
      (
        await rulesParse({
          body: JSON.parse(settled) as NonNullable<Parameters<typeof rulesParse>[0]['body']>,
          throwOnError: true,
          signal,
        })
      ).data,
    enabled: settled !== 'null',
    staleTime: Infinity,
    retry: false,
    placeholderData: keepPreviousData,
  });
  const isCurrent = settled === JSON.stringify(requestOf(match));
  return { text: query.data?.matchText ?? '', fault: isCurrent && query.error ? faultOf(query.error) : undefined };
}

function faultOf(fault: unknown): string {
  return isProblem(fault) && fault.errors?.length
    ? fault.errors.map((each) => sentence(each.detail)).join(' ')
    : message(fault);
}
