import { Anchor } from '@mantine/core';
import { useState } from 'react';
import type { NoticeRecord } from '@/api';
import { localText } from '@/lib/time/localText';
import { meant } from '@/screens/incidents/delivered';
import classes from '@/screens/incidents/Incident.module.css';

/** Why this notification was sent, and why to these destinations, behind a word in its row. */
export function WhyNotified({ notice }: { notice: NoticeRecord }) {
  const [isOpen, setOpen] = useState(false);
  const reasons = [...notice.reasons, ...meant(notice.decisions).meant.map((each) => localText(each.text))];
  if (reasons.length === 0) return null;
  return (
    <>
      <Anchor
        component="button"
        type="button"
        size="xs"
        className={classes.why}
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
      >
        Why?
      </Anchor>
      {isOpen && (
        <ul className={`soft ${classes.reasons}`}>
          {reasons.map((reason) => (
            <li key={reason}>{reason}</li>
          ))}
        </ul>
      )}
    </>
  );
}
