import { Text } from '@mantine/core';
import { useWorkspace } from '@/lib/session/workspace';
import { PageHeader } from '@/parts/PageHeader';
import { SectionIndex } from '@/parts/SectionIndex';
import { CloseWorkspace } from '@/screens/settings/CloseWorkspace';
import { Export } from '@/screens/settings/Export';
import { SettingsForm } from '@/screens/settings/SettingsForm';
import { WallLink } from '@/screens/settings/WallLink';

/** The settings of a workspace. Roles below admin read them. */
export default function Settings() {
  const { workspace, can } = useWorkspace();
  return (
    <>
      <PageHeader
        title="Settings"
        about={can('admin') ? `Settings of ${workspace.name}.` : 'You need the Admin role to change settings.'}
      />
      <SectionIndex />
      <SettingsForm key={workspace.id} />
      {can('admin') && <WallLink />}
      {can('owner') ? (
        <>
          <Export />
          <CloseWorkspace />
        </>
      ) : (
        <Text className="soft" size="sm" p="md">
          Owners can export and close the workspace.
        </Text>
      )}
    </>
  );
}
