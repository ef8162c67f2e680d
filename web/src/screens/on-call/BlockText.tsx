import { initials } from '@/parts/initials';
import classes from '@/screens/on-call/Timeline.module.css';
import { peopleText } from '@/screens/on-call/words';

type Props = { people: readonly { userId: string; name: string }[]; prefix?: string };

/** The names in a block of the timeline. A narrow block has initials, and a very narrow one its colour alone. */
export function BlockText({ people, prefix = '' }: Props) {
  return (
    <>
      <span className={classes.full}>
        {prefix}
        {peopleText(people)}
      </span>
      <span className={classes.short}>{people.map((each) => initials(each.name)).join(' ') || '–'}</span>
    </>
  );
}
