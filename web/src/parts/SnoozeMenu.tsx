import { Menu } from '@mantine/core';
import type { ReactElement } from 'react';
import { clock } from '@/lib/time';
import { usePreferences } from '@/lib/preferences';
import { SNOOZES, usualSnooze } from '@/lib/snooze';
import { KeyHint } from '@/parts/KeyHint';

/** Until when to snooze; the button is given. */
export function SnoozeMenu({ children, onChoose }: { children: ReactElement; onChoose: (until: string) => void }) {
  const { snoozeMinutes } = usePreferences();
  return (
    <Menu position="bottom-end" width={270}>
      <Menu.Target>{children}</Menu.Target>
      <Menu.Dropdown>
        {[usualSnooze(snoozeMinutes), ...SNOOZES].map((choice) => {
          const until = choice.until(new Date()).toISOString();
          return (
            <Menu.Item
              key={choice.keys}
              onClick={() => onChoose(until)}
              mih="var(--target)"
              rightSection={
                <span className="soft" style={{ fontSize: 12 }}>
                  {clock(until)} <KeyHint>{choice.keys}</KeyHint>
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
