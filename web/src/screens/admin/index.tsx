import { Tabs } from '@mantine/core';
import { ShieldX } from 'lucide-react';
import { useSearchParams } from 'wouter';
import { useSession } from '@/lib/session/workspace';
import { EmptyState } from '@/parts/EmptyState';
import { PageHeader } from '@/parts/PageHeader';
import { InstanceAudit } from '@/screens/admin/InstanceAudit';
import { People } from '@/screens/admin/People';
import { System } from '@/screens/admin/System';
import { Workspaces } from '@/screens/admin/Workspaces';

const TABS = [
  ['system', 'System', System],
  ['people', 'People', People],
  ['workspaces', 'Workspaces', Workspaces],
  ['audit', 'Audit', InstanceAudit],
] as const;

/** The instance: its parts, its people and its workspaces, but nothing inside a workspace. */
export default function Admin() {
  const { me } = useSession();
  const [search, setSearch] = useSearchParams();
  const active = TABS.find(([name]) => name === search.get('tab'))?.[0] ?? 'system';
  if (!me.isInstanceAdmin) {
    return (
      <>
        <PageHeader title="Instance" />
        <EmptyState icon={ShieldX} title="Only instance administrators can view this page">
          Ask an administrator of this instance.
        </EmptyState>
      </>
    );
  }
  return (
    <>
      <PageHeader title="Instance" />
      <Tabs value={active} onChange={(tab) => setSearch({ tab: tab ?? 'system' })} keepMounted={false}>
        <Tabs.List px="sm" aria-label="Instance">
          {TABS.map(([name, label]) => (
            <Tabs.Tab key={name} value={name} mih="var(--target)">
              {label}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {TABS.map(([name, , Panel]) => (
          <Tabs.Panel key={name} value={name} pt="sm">
            <Panel />
          </Tabs.Panel>
        ))}
      </Tabs>
    </>
  );
}
