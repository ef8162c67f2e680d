import { Button } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { Bookmark, Check, Download, Settings2, Star } from 'lucide-react';
import { lazy, useEffect, useEffectEvent, useRef } from 'react';
import { incidentsExport } from '@/api';
import { useWorkspace } from '@/lib/session/workspace';
import { Later } from '@/parts/Later';
import { PressMenu } from '@/parts/menu/PressMenu';
import { saveFile } from '@/parts/saveFile';
import classes from '@/screens/inbox/Inbox.module.css';
import type { InboxState } from '@/screens/inbox/useInbox';
import { addressOf, currentView, defaultView } from '@/screens/inbox/views';

const NewView = lazy(() => import('@/screens/inbox/NewView'));
const ViewList = lazy(() => import('@/screens/inbox/ViewList'));

/** The saved views: a menu that opens one, and dialogs that save what is shown and change what is saved. */
export function ViewsMenu({ inbox }: { inbox: InboxState }) {
  const { workspace } = useWorkspace();
  const [isSaving, saving] = useDisclosure(false);
  const [isManaging, managing] = useDisclosure(false);
  useDefaultView(inbox);
  const views = inbox.views ?? [];
  const current = currentView(views, inbox.saved);
  const asked = { query: inbox.saved, parseAs: 'blob', throwOnError: true } as const;
  return (
    <>
      <PressMenu
        position="bottom-end"
        width={280}
        button={
          <Button
            size="compact-md"
            mih="var(--target)"
            variant="default"
            maw={220}
            leftSection={<Bookmark size={15} aria-hidden />}
          >
            {current ? `View: ${current.name}` : 'Views'}
          </Button>
        }
      >
        {(Menu) => (
          <>
            {views.map((view) => {
              const address = addressOf(view.filters, inbox.names);
              return (
                <Menu.Item
                  key={view.id}
                  mih="var(--target)"
                  disabled={address === null}
                  title={address === null ? 'The inbox cannot show part of this view' : undefined}
                  leftSection={view === current ? <Check size={15} aria-hidden /> : <span className={classes.mark} />}
                  rightSection={view.isDefault ? <Star size={14} aria-label="Default" /> : undefined}
                  onClick={() => address && inbox.set(address)}
                >
                  {view.name}
                  {view.shared && <span className="soft"> · shared</span>}
                </Menu.Item>
              );
            })}
            <Menu.Divider />
            <Menu.Item
              mih="var(--target)"
              disabled={inbox.faults.length > 0}
              leftSection={<Bookmark size={15} aria-hidden />}
              onClick={saving.open}
            >
              Save as a view
            </Menu.Item>
            <Menu.Item mih="var(--target)" leftSection={<Settings2 size={15} aria-hidden />} onClick={managing.open}>
              Manage views
            </Menu.Item>
            <Menu.Divider />
            <Menu.Item
              mih="var(--target)"
              leftSection={<Download size={15} aria-hidden />}
              onClick={() => void saveFile(() => incidentsExport(asked), `${workspace.slug}-incidents`, 'csv')}
            >
              Export CSV
            </Menu.Item>
          </>
        )}
      </PressMenu>
      <Later opened={isSaving}>
        <NewView opened={isSaving} onClose={saving.close} filters={inbox.saved} order={views.length} />
      </Later>
      <Later opened={isManaging}>
        <ViewList opened={isManaging} onClose={managing.close} views={views} />
      </Later>
    </>
  );
}

/** The inbox opens with the default view, once for each visit, and only where the address asks for nothing. */
function useDefaultView(inbox: InboxState): void {
  const isPending = useRef(true);
  const { views } = inbox;
  const open = useEffectEvent(() => {
    if (!isPending.current) return;
    if (inbox.isFiltered) isPending.current = false;
    if (!isPending.current || views === undefined) return;
    isPending.current = false;
    const found = defaultView(views);
    const address = found && addressOf(found.filters, inbox.names);
    if (address) inbox.set(address);
  });
  useEffect(() => open(), [views, inbox.isFiltered]);
}
