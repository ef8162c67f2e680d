import { useDisclosure } from '@mantine/hooks';
import { lazy, type ReactElement } from 'react';
import { usePreferences } from '@/lib/preferences/preferences';
import { SNOOZES, usualSnooze } from '@/lib/time/snooze';
import { clock, useNow } from '@/lib/time/time';
import { KeyHint } from '@/parts/KeyHint';
import { Later } from '@/parts/Later';
import { type MenuParts, PressMenu } from '@/parts/menu/PressMenu';
import styles from '@/parts/styles.module.css';

const SnoozeDialog = lazy(() => import('@/parts/SnoozeDialog'));

type Props = { onChoose: (until: string) => void };

/** Until when to snooze; the button is given. */
export function SnoozeMenu({ children, onChoose }: Props & { children: ReactElement }) {
  const [isCustom, custom] = useDisclosure(false);
  return (
    <>
      <PressMenu position="bottom-end" width={270} button={children}>
        {(menu) => <SnoozeChoices menu={menu} onChoose={onChoose} onCustom={custom.open} />}
      </PressMenu>
      <CustomSnooze opened={isCustom} onClose={custom.close} onChoose={onChoose} />
    </>
  );
}

/** The dialog for another time. */
export function CustomSnooze(props: Props & { opened: boolean; onClose: () => void }) {
  return (
    <Later opened={props.opened}>
      <SnoozeDialog {...props} />
    </Later>
  );
}

type ChoicesProps = Props & { menu: MenuParts; onCustom: () => void };

/** The choices while the menu is open. A time counts from the moment of the choice. */
export function SnoozeChoices({ menu: Menu, onChoose, onCustom }: ChoicesProps) {
  const { snoozeMinutes } = usePreferences();
  const now = new Date(useNow());
  const usual = usualSnooze(snoozeMinutes);
  const choices = [...SNOOZES, usual];
  const ends = choices.map((each) => each.until(now).getTime());
  // On a Sunday "until nine" and "until Monday" are one choice, and the usual time may be one of the others.
  const different = choices.filter((_, index) => ends.indexOf(ends[index]!) === index);
  const items = different.map((choice) => (
    <Menu.Item
      key={choice.keys}
      onClick={() => onChoose(choice.until(new Date()).toISOString())}
      mih="var(--target)"
      rightSection={
        <span className={`soft ${styles.tiny}`}>
          {!choice.label(now).startsWith('Until') && clock(choice.until(now).toISOString())}{' '}
          <KeyHint>{choice.keys}</KeyHint>
        </span>
      }
    >
      {choice.label(now)}
    </Menu.Item>
  ));
  return (
    <>
      {items}
      <Menu.Item mih="var(--target)" onClick={onCustom}>
        Custom…
      </Menu.Item>
    </>
  );
}
