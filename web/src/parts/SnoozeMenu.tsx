import { Kbd, Menu } from '@mantine/core';
import type { ReactElement } from 'react';
import { clock } from '@/lib/time';
import { SNOOZES } from '@/lib/snooze';

/** Until when to snooze; the button is given. */
export function SnoozeMenu({ children, onChoose }: { children: ReactElement; onChoose: (until: string) => void }) {
  return (
    <Menu position="bottom-end" width={250}>
      <Menu.Target>{children}</Menu.Target>
      <Menu.Dropdown>
        {SNOOZES.map((choice, index) => {
          const until = choice.until(new Date()).toISOString();
          return (
            <Menu.Item
              key={choice.label}
              onClick={() => onChoose(until)}
              mih="var(--target)"
              rightSection={
                <span className="soft" style={{ fontSize: 12 }}>
                  {clock(until)} <Kbd size="xs">s {index + 1}</Kbd>
                </span>
              }
            >
              {choice.label}
            </Menu.Item>
          );
        })}
      </Menu.Dropdown>
    </Menu>
  );
}
