import { initials } from '@/parts/initials';
import classes from '@/screens/on-call/Timeline.module.css';
import { peopleText } from '@/screens/on-call/words';

/** A name of so few letters fits into a block that is too narrow for others. */
const BRIEF = 5;

type Props = { people: readonly { userId: string; name: string }[]; prefix?: string };

/** The visible names in a block of the timeline. A narrow block has initials, and a very narrow one its colour alone. */
export function BlockText({ people, prefix = '' }: Props) {
  const text = `${prefix}${peopleText(people)}`;
  return (
    <span aria-hidden>
      <span className={classes.full} data-brief={text.length <= BRIEF || undefined}>
        {text}
      </span>
      <span className={classes.short}>{people.map((each) => initials(each.name)).join(' ') || '–'}</span>
    </span>
  );
}
