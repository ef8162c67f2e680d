import { Alert, Code, Collapse, Group, List, Text, UnstyledButton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { TriangleAlert } from 'lucide-react';
import { useState } from 'react';
import type { SourceRecord, SourceSample } from '@/api';
import { sourcesReadSampleOptions } from '@/api/@tanstack/react-query.gen';
import styles from '@/parts/styles.module.css';
import { TimeAgo } from '@/parts/TimeAgo';
import classes from '@/screens/sources/Sources.module.css';

const EVERY_MS = 15_000;

/** The last payload of a tool that was refused or read in part. Nothing is shown without one. */
export function LastSample({ source }: { source: SourceRecord }) {
  const query = useQuery({
    ...sourcesReadSampleOptions({ path: { source_id: source.id } }),
    refetchInterval: EVERY_MS,
  });
  const sample = query.data?.sample;
  if (!sample) return null;
  return (
    <Alert
      color="yellow"
      variant="outline"
      icon={<TriangleAlert size={18} aria-hidden />}
      title={<span className={styles.warning}>A payload could not be read completely</span>}
    >
      <Text size="sm">
        Sent to <span className="mono">{sample.tool}</span> <TimeAgo at={sample.receivedAt} />. {sample.detail}
      </Text>
      {sample.faults.length > 0 && (
        <List size="sm" spacing={4} mt={4}>
          {sample.faults.map((each, index) => (
            <List.Item key={index} className={styles.anywhere}>
              {each.pointer && <span className="mono">{each.pointer} </span>}
              {each.detail}
            </List.Item>
          ))}
        </List>
      )}
      <Payload sample={sample} />
    </Alert>
  );
}

function Payload({ sample }: { sample: SourceSample }) {
  const [isOpen, setOpen] = useState(false);
  const headers = Object.entries(sample.headers).map(([name, value]) => `${name}: ${value}`);
  return (
    <>
      <Group gap="xs" mt="xs">
        <UnstyledButton aria-expanded={isOpen} onClick={() => setOpen(!isOpen)} mih="var(--target)" td="underline">
          {isOpen ? 'Hide the payload' : 'Show the payload'}
        </UnstyledButton>
        <Text size="sm" className="soft">
          Secrets are removed. Kept for one day.
        </Text>
      </Group>
      <Collapse expanded={isOpen}>
        <Code block mah={420} className={classes.scrolling} tabIndex={0} aria-label="Payload">
          {`${headers.join('\n')}\n\n${sample.body}${sample.truncated ? '\n… cut' : ''}`}
        </Code>
      </Collapse>
    </>
  );
}
