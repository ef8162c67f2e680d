import { Button } from '@mantine/core';
import { ArrowDownWideNarrow, ArrowUpWideNarrow, Check } from 'lucide-react';
import { PressMenu } from '@/parts/menu/PressMenu';
import classes from '@/screens/inbox/Inbox.module.css';
import { SORTS, sortsOf, sortText, usualOrder, type Sort } from '@/screens/inbox/sorts';

/** The order of the list: a column, and which end comes first. */
export function SortMenu({ sort, tab, onChange }: { sort: Sort; tab: string; onChange: (text: string) => void }) {
  const now = SORTS.find((each) => each.name === sort.name)!;
  const Icon = sort.order === 'desc' ? ArrowDownWideNarrow : ArrowUpWideNarrow;
  const mark = (shown: boolean) => (shown ? <Check size={15} aria-hidden /> : <span className={classes.mark} />);
  return (
    <PressMenu
      position="bottom-end"
      width={220}
      button={
        <Button
          size="compact-md"
          mih="var(--target)"
          variant="default"
          className={classes.sort}
          leftSection={<Icon size={15} aria-hidden />}
          aria-label={`Sort: ${now.label}, ${now[sort.order].toLowerCase()}`}
          title={`Sorted by ${now.label.toLowerCase()}, ${now[sort.order].toLowerCase()}`}
        >
          <span className={classes.sortLabel}>Sort: {now.label}</span>
        </Button>
      }
    >
      {(Menu) => (
        <>
          {sortsOf(tab).map(({ name, label }) => (
            <Menu.Item
              key={name}
              aria-current={name === sort.name || undefined}
              mih="var(--target)"
              leftSection={mark(name === sort.name)}
              onClick={() => onChange(sortText({ name, order: usualOrder(name) }, tab))}
            >
              {label}
            </Menu.Item>
          ))}
          <Menu.Divider />
          {(['desc', 'asc'] as const).map((order) => (
            <Menu.Item
              key={order}
              aria-current={order === sort.order || undefined}
              mih="var(--target)"
              leftSection={mark(order === sort.order)}
              onClick={() => onChange(sortText({ name: sort.name, order }, tab))}
            >
              {now[order]}
            </Menu.Item>
          ))}
        </>
      )}
    </PressMenu>
  );
}
