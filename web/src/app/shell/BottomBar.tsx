import { AppShell } from '@mantine/core';
import { CalendarClock, HeartPulse, Inbox, ListTree, Menu } from 'lucide-react';
import { Link } from 'wouter';
import { useOptionalWorkspace } from '@/lib/session/workspace';
import { PageBarSlot } from '@/parts/PageBar';
import classes from '@/app/shell/BottomBar.module.css';

const ITEMS = [
  { name: 'inbox', label: 'Inbox', icon: Inbox },
  { name: 'events', label: 'Events', icon: ListTree },
  { name: 'on-call', label: 'On call', icon: CalendarClock },
  { name: 'heartbeats', label: 'Heartbeats', icon: HeartPulse },
];

/** Five places for the thumb on a phone, or the buttons of the screen. */
export function BottomBar({ active, onMore }: { active: string; onMore: () => void }) {
  const workspace = useOptionalWorkspace();
  const current = active === 'incidents' ? 'inbox' : active;
  return (
    <AppShell.Footer>
      <PageBarSlot />
      <nav aria-label="Shortcuts" className={classes.bar}>
        {workspace &&
          ITEMS.map((item) => (
            <Link
              key={item.name}
              href={`/w/${workspace.slug}/${item.name}`}
              className={classes.item}
              aria-current={current === item.name ? 'page' : undefined}
            >
              <item.icon size={20} aria-hidden />
              {item.label}
            </Link>
          ))}
        <button type="button" className={classes.item} onClick={onMore}>
          <Menu size={20} aria-hidden />
          More
        </button>
      </nav>
    </AppShell.Footer>
  );
}
