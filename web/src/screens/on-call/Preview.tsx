import { Loader, Text } from '@mantine/core';
import { TriangleAlert } from 'lucide-react';
import type { OnCallPreview, ScheduleRecord, ShiftRecord } from '@/api';
import { useMembers } from '@/lib/configuration/members';
import { useNow } from '@/lib/time/time';
import { counted } from '@/lib/words/words';
import { ProblemAlert } from '@/parts/ProblemAlert';
import styles from '@/parts/styles.module.css';
import { placesOf } from '@/screens/on-call/colours';
import type { ScheduleForm } from '@/screens/on-call/draft';
import classes from '@/screens/on-call/Editor.module.css';
import { Lane } from '@/screens/on-call/Lane';
import { dayOf, later, type Range, rangeOf, rangeText, ticksOf } from '@/screens/on-call/range';
import { usePreview } from '@/screens/on-call/usePreview';
import { peopleText, periodText, problemTexts } from '@/screens/on-call/words';
import timeline from '@/screens/on-call/Timeline.module.css';

const WEEKS = [0, 7, 14, 21];
const MOST_CHANGES = 6;

type Props = { form: ScheduleForm; id: ScheduleRecord['id'] | null };

/** The next four weeks before and after the form is saved, and the problems that it would have. */
export function Preview({ form, id }: Props) {
  const { preview, lack } = usePreview(form, id);
  return (
    <aside className={classes.preview} aria-labelledby="preview">
      <Text component="h2" id="preview" fw={600} size="sm" m={0} mb="xs">
        The next four weeks {preview.isFetching && <Loader size={12} aria-label="Loading" />}
      </Text>
      {lack && (
        <Text size="sm" className="soft">
          {lack} The shifts then appear here.
        </Text>
      )}
      {preview.error && !lack && <ProblemAlert fault={preview.error} />}
      {preview.data && !preview.error && !lack && <Found found={preview.data} isNew={id === null} />}
    </aside>
  );
}

function Found({ found, isNew }: { found: OnCallPreview; isNew: boolean }) {
  const first = dayOf(Date.parse(found.startsAt));
  return (
    <>
      <Problems found={found} />
      <Unmatched names={found.unmatched} />
      {!isNew && <Changes found={found} />}
      {WEEKS.map((days) => (
        <Week key={days} range={rangeOf('week', later(first, days))} found={found} isNew={isNew} />
      ))}
    </>
  );
}

function Problems({ found }: { found: OnCallPreview }) {
  const members = useMembers();
  const texts = problemTexts(found.problems, found.layers, members.of);
  return (
    <div role="status" className={classes.problems}>
      {texts.length === 0 && <Text size="sm">No problem found: somebody is always on call within 30 days.</Text>}
      {texts.map((text) => (
        <Text key={text} size="sm" className={styles.line}>
          <TriangleAlert size={14} className={`${styles.rigid} ${styles.warning}`} aria-hidden />
          {text}
        </Text>
      ))}
    </div>
  );
}

/** The names of events that match no member: the calendar has nobody there. */
function Unmatched({ names }: { names: readonly string[] }) {
  if (names.length === 0) return null;
  return (
    <Text size="sm" className={styles.line} mb="xs">
      <TriangleAlert size={14} className={`${styles.rigid} ${styles.warning}`} aria-hidden />
      {`No member has ${names.length === 1 ? 'this name' : 'these names'}: ${names.map((each) => each || 'an event without a title').join(', ')}.`}
    </Text>
  );
}

function Changes({ found }: { found: OnCallPreview }) {
  const { changes, before, after } = found;
  const more = changes.length - MOST_CHANGES;
  if (changes.length === 0)
    return (
      <Text size="sm" className="soft" mb="sm">
        The same people are on call as before.
      </Text>
    );
  return (
    <ul className={classes.changes}>
      {changes.slice(0, MOST_CHANGES).map((each) => (
        <li key={each.startsAt}>
          {periodText(each)}: {namesAt(after, each.startsAt)} instead of {namesAt(before, each.startsAt)}
        </li>
      ))}
      {more > 0 && <li>{counted(more, 'more change')}</li>}
    </ul>
  );
}

function namesAt(shifts: readonly ShiftRecord[], at: string): string {
  const time = Date.parse(at);
  const found = shifts.find((each) => Date.parse(each.startsAt) <= time && time < Date.parse(each.endsAt));
  return found ? peopleText(found.people) : 'nobody';
}

function Week({ range, found, isNew }: { range: Range; found: OnCallPreview; isNew: boolean }) {
  const now = useNow();
  const places = placesOf(found.layers);
  const shared = { range, places, now };
  return (
    <div className={classes.week}>
      <span className="soft">{rangeText(range)}</span>
      <div className={timeline.ticks} aria-hidden>
        {ticksOf(range).map((each) => (
          <span key={each.left} style={{ left: `${each.left}%` }}>
            {each.label}
          </span>
        ))}
      </div>
      {!isNew && <Lane name="Before" {...shared} pieces={found.before} />}
      <Lane name={isNew ? 'On call' : 'After'} {...shared} pieces={found.after} />
    </div>
  );
}
