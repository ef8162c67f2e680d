import { BellPlus, TrendingUp, UserRoundCheck } from 'lucide-react';
import type { MenuParts } from '@/parts/menu/PressMenu';
import type { Acts } from '@/screens/incidents/useActs';

/** The acts that concern people, as items of a menu: take the incident, page somebody, go on to the next step. */
export function PeopleItems({ menu, acts }: { menu: MenuParts; acts: Acts }) {
  const { run, may, people } = acts;
  return (
    <>
      {may('acknowledge') && (
        <menu.Item
          mih="var(--target)"
          leftSection={<UserRoundCheck size={16} aria-hidden />}
          onClick={() => void run({ action: 'take' })}
        >
          Take
        </menu.Item>
      )}
      {people.mayPage && (
        <menu.Item mih="var(--target)" leftSection={<BellPlus size={16} aria-hidden />} onClick={people.open}>
          Page people…
        </menu.Item>
      )}
      {people.mayEscalate && (
        <menu.Item
          mih="var(--target)"
          leftSection={<TrendingUp size={16} aria-hidden />}
          onClick={() => void people.escalate()}
        >
          Escalate to the next step
        </menu.Item>
      )}
    </>
  );
}
