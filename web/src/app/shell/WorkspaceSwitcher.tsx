import { Badge, Button } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { Check, ChevronsUpDown, Plus } from 'lucide-react';
import { lazy, useState } from 'react';
import { useLocation } from 'wouter';
import { incidentsCountsOptions } from '@/api/@tanstack/react-query.gen';
import { useMayCreate } from '@/lib/session/mayCreate';
import { useOptionalWorkspace, useSession } from '@/lib/session/workspace';
import { instanceName } from '@/parts/PageHeader';
import { Later } from '@/parts/Later';
import { PressMenu } from '@/parts/menu/PressMenu';
import styles from '@/parts/styles.module.css';
import classes from '@/app/shell/Shell.module.css';

const NewWorkspaceDialog = lazy(() => import('@/parts/NewWorkspaceDialog'));

/** The name of the workspace, with a menu of all of them and how many incidents are open in each. */
export function WorkspaceSwitcher() {
  const { workspaces } = useSession();
  const current = useOptionalWorkspace();
  const [, navigate] = useLocation();
  const [creating, dialog] = useDisclosure(false);
  const [isOpen, setOpen] = useState(false);
  const counts = useQuery({ ...incidentsCountsOptions(), enabled: isOpen && workspaces.length > 1 });
  const open = new Map(counts.data?.byWorkspace.map((each) => [each.workspaceId, each.open]));
  const mayCreate = useMayCreate();
  const name = current?.name ?? instanceName();
  return (
    <>
      <PressMenu
        position="bottom-start"
        width={260}
        onChange={setOpen}
        button={
          <Button
            variant="subtle"
            color="gray"
            px={8}
            h="var(--target)"
            rightSection={<ChevronsUpDown size={14} aria-hidden />}
            aria-label={`Workspace: ${name}`}
            classNames={{ root: classes.switcher, label: classes.switcherLabel }}
          >
            <span className="clip">{name}</span>
          </Button>
        }
      >
        {(Menu) => (
          <>
            {workspaces.length > 0 && <Menu.Label>Workspaces</Menu.Label>}
            {workspaces.map((each) => (
              <Menu.Item
                key={each.id}
                onClick={() => navigate(`/w/${each.slug}/inbox`)}
                mih="var(--target)"
                rightSection={
                  <>
                    {(open.get(each.id) ?? 0) > 0 && (
                      <Badge size="sm" variant="default" tt="none" mr={4}>
                        {open.get(each.id)} open
                      </Badge>
                    )}
                    {each.id === current?.id && <Check size={15} aria-label="current" />}
                  </>
                }
              >
                <span className={`clip ${styles.block}`}>{each.name}</span>
              </Menu.Item>
            ))}
            {mayCreate && (
              <>
                <Menu.Divider />
                <Menu.Item leftSection={<Plus size={16} aria-hidden />} mih="var(--target)" onClick={dialog.open}>
                  Create a workspace
                </Menu.Item>
              </>
            )}
          </>
        )}
      </PressMenu>
      <Later opened={creating}>
        <NewWorkspaceDialog opened={creating} onClose={dialog.close} />
      </Later>
    </>
  );
}
