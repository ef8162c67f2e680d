import { Button, Group } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { CircleAlert, CircleCheck, CircleDashed, TriangleAlert } from 'lucide-react';
import type { PartRecord } from '@/api';
import { adminPurgeMutation, adminSystemOptions, infoReadOptions } from '@/api/@tanstack/react-query.gen';
import { SkeletonRows } from '@/parts/EmptyState';
import { ProblemAlert } from '@/parts/ProblemAlert';
import { SectionList, SectionRow, SettingsSection } from '@/parts/SettingsSection';
import styles from '@/parts/styles.module.css';
import { say, sayFault } from '@/parts/toast';

const PARTS = [
  ['database', 'Database'],
  ['queues', 'Queues'],
  ['workers', 'Workers'],
  ['scheduler', 'Scheduler'],
  ['feed', 'Live stream'],
  ['mail', 'Mail'],
] as const;
const LOOK = {
  ok: ['Good', CircleCheck, 'var(--severity-success)'],
  degraded: ['Degraded', TriangleAlert, 'var(--severity-warning)'],
  down: ['Down', CircleAlert, 'var(--severity-critical)'],
} as const;

export function System() {
  const query = useQuery({ ...adminSystemOptions(), refetchInterval: 10_000 });
  const purge = useMutation({
    ...adminPurgeMutation(),
    onSuccess: ({ started }) =>
      say(started ? 'The purge has started' : 'Redis is unreachable. The purge starts within the hour.'),
    onError: sayFault,
  });
  const { data } = query;
  const info = useQuery(infoReadOptions());
  const mayMail = info.data?.capabilities.includes('mail') ?? true;
  if (query.isPending) return <SkeletonRows />;
  if (!data)
    return (
      <div className={styles.padded}>
        <ProblemAlert fault={query.error} onRetry={() => query.refetch()} />
      </div>
    );
  return (
    <>
      <SettingsSection id="parts" title="System health" about={<>Version {data.version}. Refreshes every 10 s.</>}>
        {query.error && <ProblemAlert fault={query.error} onRetry={() => query.refetch()} />}
        <SectionList label="System health">
          {PARTS.map(([name, label]) => (
            <Part key={name} label={label} part={data[name]} isSetUp={name !== 'mail' || mayMail} />
          ))}
          <SectionRow actions={<strong className="numbers">{data.quarantinedEvents.toLocaleString()}</strong>}>
            <strong>Quarantined events</strong>
            <div className={`soft ${styles.small}`}>
              Their routing failed. An operator can release them with bin/inbox.
            </div>
          </SectionRow>
        </SectionList>
      </SettingsSection>
      <SettingsSection
        id="purge"
        title="Purge"
        about="Removes records past the retention of their workspace. Also runs every hour."
      >
        <Group>
          <Button variant="default" loading={purge.isPending} onClick={() => purge.mutate({})}>
            Purge now
          </Button>
        </Group>
      </SettingsSection>
    </>
  );
}

const NOT_SET_UP = ['Not set up', CircleDashed, 'var(--text-soft)'] as const;

/** A part of the system. Mail without a server is neither good nor bad: nothing is sent. */
function Part({ label, part, isSetUp }: { label: string; part: PartRecord; isSetUp: boolean }) {
  const [word, Icon, colour] = isSetUp ? LOOK[part.status] : NOT_SET_UP;
  return (
    <SectionRow
      actions={
        <span className={styles.badge} style={{ color: colour }}>
          <Icon size={16} aria-hidden />
          {word}
        </span>
      }
    >
      <strong>{label}</strong>{' '}
      {isSetUp && (
        <span className={`soft numbers ${styles.small}`}>
          {part.value.toLocaleString()} {part.value === 1 ? part.unit.replace(/s\b/, '') : part.unit}
        </span>
      )}
      {part.detail && <div className={`soft ${styles.small}`}>{part.detail}</div>}
    </SectionRow>
  );
}
