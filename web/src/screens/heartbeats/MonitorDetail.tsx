import { useQuery } from '@tanstack/react-query';
import { useLocation } from 'wouter';
import type { MonitorCreated, MonitorRecord } from '@/api';
import { heartbeatMonitorsReadOptions } from '@/api/@tanstack/react-query.gen';
import { useKeys } from '@/lib/keyboard/keys';
import { isProblem } from '@/lib/requests/problems';
import { useWorkspace } from '@/lib/session/workspace';
import { DetailTabs } from '@/parts/details/DetailTabs';
import { BackLink } from '@/parts/editor/BackLink';
import { StatusBadge } from '@/parts/heartbeats/StatusBadge';
import { REREAD_MS } from '@/parts/heartbeats/useMonitors';
import { PageHeader } from '@/parts/PageHeader';
import { ProblemAlert } from '@/parts/ProblemAlert';
import { RecordState } from '@/parts/RecordState';
import styles from '@/parts/styles.module.css';
import { Acts } from '@/screens/heartbeats/Acts';
import classes from '@/screens/heartbeats/Heartbeats.module.css';
import { HistoryTab } from '@/screens/heartbeats/HistoryTab';
import { Overview } from '@/screens/heartbeats/Overview';
import { PingsTab } from '@/screens/heartbeats/PingsTab';
import { SettingsTab } from '@/screens/heartbeats/SettingsTab';
import { SetUpTab } from '@/screens/heartbeats/SetUpTab';

const TABS = [
  { name: 'overview', label: 'Overview', content: Overview },
  { name: 'setup', label: 'Setup', content: SetUpTab },
  { name: 'pings', label: 'Pings', content: PingsTab },
  { name: 'history', label: 'History', content: HistoryTab },
  { name: 'settings', label: 'Settings', content: SettingsTab },
];

type Props = {
  id: MonitorRecord['id'];
  address: string | null;
  onRotated: (created: MonitorCreated) => void;
};

/** One monitor: what it does now, how to ping it, what arrived, and its settings. */
export function MonitorDetail({ id, address, onRotated }: Props) {
  const { href } = useWorkspace();
  const [, navigate] = useLocation();
  const query = useQuery({
    ...heartbeatMonitorsReadOptions({ path: { monitor_id: id } }),
    refetchInterval: REREAD_MS,
  });
  useKeys('Heartbeat monitor', [
    { keys: 'u', label: 'Back to the heartbeats', run: () => navigate(href('heartbeats')) },
  ]);
  const monitor = query.data;
  const isGone = isProblem(query.error) && query.error.status === 404;
  if (!monitor || isGone)
    return (
      <RecordState query={query} noun="monitor" back={{ href: href('heartbeats'), label: 'Back to the heartbeats' }}>
        It may have been deleted.
      </RecordState>
    );
  return (
    <>
      <BackLink href={href('heartbeats')} label="Heartbeats" near />
      <PageHeader
        title={monitor.name}
        about={
          <span className={classes.subtitle}>
            <StatusBadge status={monitor.status} />
            {monitor.scheduleText}
          </span>
        }
      >
        <Acts monitor={monitor} />
      </PageHeader>
      {query.error && (
        <div className={styles.bar}>
          <ProblemAlert fault={query.error} onRetry={() => query.refetch()} />
        </div>
      )}
      <DetailTabs tabs={TABS} content={{ monitor, address, onRotated }} />
    </>
  );
}
