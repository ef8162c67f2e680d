import { Group } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useLocation } from 'wouter';
import type { SourceRecord } from '@/api';
import { sourcesReadOptions } from '@/api/@tanstack/react-query.gen';
import { useKeys } from '@/lib/keyboard/keys';
import { useWorkspace } from '@/lib/session/workspace';
import { DetailTabs } from '@/parts/details/DetailTabs';
import { BackLink } from '@/parts/editor/BackLink';
import { PageHeader } from '@/parts/PageHeader';
import { ProblemAlert } from '@/parts/ProblemAlert';
import { RecordState } from '@/parts/RecordState';
import styles from '@/parts/styles.module.css';
import { EnabledSwitch } from '@/screens/sources/EnabledSwitch';
import { KeysTab } from '@/screens/sources/KeysTab';
import { MappingTab } from '@/screens/sources/mapping/MappingTab';
import { RulesTab } from '@/screens/sources/RulesTab';
import { SettingsTab } from '@/screens/sources/SettingsTab';
import { SetUpTab } from '@/screens/sources/SetUpTab';
import { SourceEvents } from '@/screens/sources/SourceEvents';
import { LastEvent, OpenIncidents } from '@/screens/sources/SourceList';
import classes from '@/screens/sources/Sources.module.css';
import type { FreshKey } from '@/screens/sources/tabProps';

const TABS = [
  { name: 'setup', label: 'Setup', content: SetUpTab },
  { name: 'events', label: 'Events', content: SourceEvents },
  { name: 'keys', label: 'Keys', content: KeysTab },
  { name: 'rules', label: 'Rules', content: RulesTab },
  { name: 'mapping', label: 'Mapping', content: MappingTab },
  { name: 'settings', label: 'Settings', content: SettingsTab },
];

export function SourceDetail({
  id,
  fresh,
  onFresh,
}: {
  id: SourceRecord['id'];
  fresh: FreshKey | null;
  onFresh: (key: FreshKey) => void;
}) {
  const { href, can } = useWorkspace();
  const [, navigate] = useLocation();
  const query = useQuery(sourcesReadOptions({ path: { source_id: id } }));
  useKeys('Source', [{ keys: 'u', label: 'Back to the sources', run: () => navigate(href('sources')) }]);
  const source = query.data;
  if (!source)
    return (
      <RecordState query={query} noun="source" back={{ href: href('sources'), label: 'Back to the sources' }}>
        It may have been deleted.
      </RecordState>
    );
  return (
    <>
      <BackLink href={href('sources')} label="Sources" />
      <div className={classes.near}>
        <PageHeader
          title={source.name}
          about={
            <>
              Last event: <LastEvent source={source} /> · {source.eventsLast24h.toLocaleString()} in 24 h · Open
              incidents: <OpenIncidents source={source} />
            </>
          }
        >
          <Group gap={8}>
            <span className={`soft ${styles.small}`} aria-hidden>
              {source.enabled ? 'Enabled' : 'Disabled'}
            </span>
            <EnabledSwitch source={source} readOnly={!can('admin')} />
          </Group>
        </PageHeader>
      </div>
      {query.error && (
        <div className={styles.bar}>
          <ProblemAlert fault={query.error} onRetry={() => query.refetch()} />
        </div>
      )}
      <DetailTabs tabs={TABS} content={{ source, fresh, onFresh }} />
    </>
  );
}
