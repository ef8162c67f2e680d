import { Alert, List, Stack, Text, Title } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { TriangleAlert } from 'lucide-react';
import { type MappedEvent, mappingsPreview, type SourceMapping, type SourceRecord } from '@/api';
import { fieldFaults } from '@/lib/requests/problems';
import { counted, type Severity } from '@/lib/words/words';
import { SeverityBadge } from '@/parts/SeverityBadge';
import styles from '@/parts/styles.module.css';
import type { Json } from '@/screens/sources/mapping/sample';
import classes from '@/screens/sources/Sources.module.css';

type Sample = Json[] | { [name: string]: Json };

/** What the mapping makes of the sample, half a second after the last change; `faults` by the field of the mapping. */
export function usePreview(source: SourceRecord, mapping: SourceMapping, sample: Sample | null) {
  const [settled] = useDebouncedValue(JSON.stringify(sample ? { mapping, sample } : null), 500);
  const query = useQuery({
    queryKey: ['mappingPreview', source.id, settled],
    queryFn: async ({ signal }) => {
      const body = JSON.parse(settled) as { mapping: SourceMapping; sample: Sample };
      const path = { source_id: source.id };
      return (await mappingsPreview({ path, body, throwOnError: true, signal })).data;
    },
    enabled: settled !== 'null',
    staleTime: Infinity,
    retry: false,
    placeholderData: keepPreviousData,
  });
  return { shown: settled === 'null' ? undefined : query.data, faults: query.error ? faultsOf(query.error) : {} };
}

/** The faults of a refused mapping by its field: `/mapping/title/template` is `title.template`. */
export function faultsOf(fault: unknown): Record<string, string> {
  const { rest } = fieldFaults(fault, []);
  return Object.fromEntries(
    rest.map((each) => {
      const [, field, text] = /^mapping\.(\S+): (.*)$/s.exec(each) ?? [null, '', each];
      return [field, text];
    }),
  );
}

type Shown = NonNullable<ReturnType<typeof usePreview>['shown']>;

/** The events of a preview, and what was wrong. */
export function Preview({ shown }: { shown: Shown }) {
  return (
    <section aria-label="Preview">
      <Title order={3} mb={4}>
        {counted(shown.total, 'event')}
      </Title>
      <Stack gap="xs">
        {shown.faults.length > 0 && (
          <Notice
            title="Some items produce no event"
            lines={shown.faults.map((each) => `${each.pointer} ${each.detail}`)}
          />
        )}
        {shown.events.map((each, index) => (
          <Shape key={index} event={each} />
        ))}
      </Stack>
    </section>
  );
}

function Shape({ event }: { event: MappedEvent }) {
  const facts: [string, string | null][] = [
    ['Action', event.action],
    ['Dedup key', event.dedupKey],
    ['Resource', event.resource],
    ['Tags', event.tags.join(', ')],
    ['Type', event.type],
    ['Link', event.url],
    ['Body', event.body],
    ['Metadata', event.metadata && JSON.stringify(event.metadata)],
  ];
  return (
    <div className={classes.mapped}>
      <Text fw={600} className={styles.anywhere}>
        <SeverityBadge severity={event.severity as Severity} /> {event.title}
      </Text>
      <dl className={classes.mappedFields}>
        {facts.map(
          ([name, value]) =>
            value && (
              <div key={name} className={styles.pair}>
                <dt className={`soft ${classes.mappedName}`}>{name}</dt>
                <dd className={classes.mappedValue}>{value}</dd>
              </div>
            ),
        )}
      </dl>
      {event.warnings.length > 0 && (
        <Notice title="Stored with changes" lines={event.warnings.map((each) => `${each.pointer} ${each.detail}`)} />
      )}
    </div>
  );
}

function Notice({ title, lines }: { title: string; lines: string[] }) {
  return (
    <Alert
      color="yellow"
      variant="outline"
      mt={4}
      icon={<TriangleAlert size={16} aria-hidden />}
      title={<span className={styles.warning}>{title}</span>}
    >
      <List size="sm">
        {lines.map((each, index) => (
          <List.Item key={index} className={styles.anywhere}>
            {each}
          </List.Item>
        ))}
      </List>
    </Alert>
  );
}
