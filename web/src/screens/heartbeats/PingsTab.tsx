import { Text } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { CircleCheck, CircleX, EyeOff, FileText, HeartPulse, type LucideIcon, Play } from 'lucide-react';
import { useState, type ReactNode } from 'react';
import type { PingRecord } from '@/api';
import { heartbeatMonitorsPingsInfiniteOptions } from '@/api/@tanstack/react-query.gen';
import { pages } from '@/lib/requests/pages';
import { absolute } from '@/lib/time/time';
import { type Column, DataTable, type Pages } from '@/parts/DataTable';
import { Modal } from '@/parts/dialogs';
import { EmptyState } from '@/parts/EmptyState';
import { REREAD_MS } from '@/parts/heartbeats/useMonitors';
import { pingWord, runtime } from '@/parts/heartbeats/words';
import { CodeBlock } from '@/parts/Snippets';
import styles from '@/parts/styles.module.css';
import { TimeAgo } from '@/parts/TimeAgo';
import classes from '@/screens/heartbeats/Heartbeats.module.css';
import type { TabProps } from '@/screens/heartbeats/tabProps';

const KINDS: Record<PingRecord['kind'], [string, LucideIcon]> = {
  success: ['var(--severity-success)', CircleCheck],
  fail: ['var(--severity-critical)', CircleX],
  start: ['var(--severity-info)', Play],
  log: ['var(--text-soft)', FileText],
  ignored: ['var(--text-soft)', EyeOff],
};

const COLUMNS: Column<PingRecord>[] = [
  { header: 'Ping', width: 210, cell: (ping) => <Kind ping={ping} /> },
  { header: 'Arrived', width: 110, cell: (ping) => <TimeAgo at={ping.at} /> },
  {
    header: 'Duration',
    width: 100,
    secondary: true,
    cell: (ping) => (
      <span className={`numbers ${styles.oneLine}`}>{ping.durationMs === null ? '' : runtime(ping.durationMs)}</span>
    ),
  },
  {
    header: 'Text',
    secondary: true,
    cell: (ping) => <span className={`clip soft mono ${styles.block}`}>{ping.body.trim().split('\n').at(-1)}</span>,
  },
  {
    header: 'Sender',
    width: 200,
    secondary: true,
    cell: (ping) => <span className={`clip soft ${classes.body}`}>{ping.userAgent}</span>,
  },
];

/** The stored pings, newest first. A row opens with its whole text. */
export function PingsTab({ monitor }: TabProps) {
  const query = useInfiniteQuery({
    ...heartbeatMonitorsPingsInfiniteOptions({
      path: { monitor_id: monitor.id },
      query: { limit: 50, order: 'desc' },
    }),
    ...pages,
    refetchInterval: REREAD_MS,
  });
  return (
    <Rows
      query={query}
      empty={
        <EmptyState icon={HeartPulse} title="No ping yet">
          Pings appear here as soon as the job sends one. See the Setup tab.
        </EmptyState>
      }
    />
  );
}

/** Some pings, each of which opens with its whole text. */
export function PingTable({ pings }: { pings: PingRecord[] }) {
  const query = { data: { pages: [{ items: pings }] }, error: null, isPending: false, refetch: () => undefined };
  return <Rows query={query} empty={null} />;
}

function Rows({ query, empty }: { query: Pages<PingRecord>; empty: ReactNode }) {
  const [opened, setOpened] = useState<PingRecord | null>(null);
  return (
    <>
      <DataTable
        label="Pings"
        columns={COLUMNS}
        query={query}
        rowKey={(ping) => `${ping.at} ${ping.kind} ${ping.runId ?? ''} ${ping.body.length}`}
        onOpen={setOpened}
        empty={empty}
      />
      <Modal opened={opened !== null} onClose={() => setOpened(null)} title="Ping" size="lg">
        {opened && <Details ping={opened} />}
      </Modal>
    </>
  );
}

function Kind({ ping }: { ping: PingRecord }) {
  const [colour, Icon] = KINDS[ping.kind];
  return (
    <span className={classes.ping} style={{ color: colour }}>
      <Icon size={14} aria-hidden className={styles.rigid} />
      {pingWord(ping)}
    </span>
  );
}

function Details({ ping }: { ping: PingRecord }) {
  const rows: [string, string | null][] = [
    ['Arrived', absolute(ping.at)],
    ['Duration', ping.durationMs === null ? null : runtime(ping.durationMs)],
    ['Run id', ping.runId],
    ['Method', ping.method],
    ['Sender', ping.userAgent],
  ];
  return (
    <>
      <Kind ping={ping} />
      <dl className={classes.pingFacts}>
        {rows
          .filter(([, value]) => value)
          .map(([name, value]) => (
            <div key={name} className={styles.contents}>
              <dt className="soft">{name}</dt>
              <dd className={classes.pingFact}>{value}</dd>
            </div>
          ))}
      </dl>
      {ping.body ? (
        <CodeBlock text={ping.body} label="Text" />
      ) : (
        <Text size="sm" className="soft">
          No text.
        </Text>
      )}
    </>
  );
}
