import { ActionIcon } from '@mantine/core';
import { BellOff, Check, Clock, Eye, Repeat } from 'lucide-react';
import { memo, useState, type CSSProperties } from 'react';
import { Link } from 'wouter';
import type { IncidentRecord } from '@/api';
import { allows } from '@/lib/incidents/allowed';
import { preferences } from '@/lib/preferences/preferences';
import { SEVERITY_WORD } from '@/lib/words/words';
import { firingNote, stateNote } from '@/parts/incidentNotes';
import { NotifiedNobody } from '@/parts/NotifiedNobody';
import { SeverityIcon, severityColour } from '@/parts/SeverityBadge';
import { SnoozeMenu } from '@/parts/SnoozeMenu';
import { Sparkline } from '@/parts/Sparkline';
import { StateChip } from '@/parts/StateChip';
import styles from '@/parts/styles.module.css';
import { TimeAgo } from '@/parts/TimeAgo';
import { Undelivered } from '@/parts/Undelivered';
import { perform } from '@/live/acts';
import { useOffline } from '@/live/online';
import classes from '@/screens/inbox/Inbox.module.css';
import { useSwipe } from '@/screens/inbox/useSwipe';

type Props = {
  incident: IncidentRecord;
  href: string;
  silenceHref: string;
  activity: readonly number[] | undefined;
  selected: boolean;
  mayAct: boolean;
  onSelect: (id: string, range: boolean) => void;
  onFocus: (id: string) => void;
};

/**
 * One incident: what, where from, how often, since when, and its state. Acts appear on hover and focus. On a touch screen a
 * swipe to the right acknowledges, and one to the left snoozes for as long as the person prefers.
 */
export const Row = memo(function Row({
  incident,
  href,
  silenceHref,
  activity,
  selected,
  mayAct,
  onSelect,
  onFocus,
}: Props) {
  const isOpen = incident.state === 'open';
  // The buttons of ten thousand rows would be most of the page, so they come with the pointer or the focus.
  const [isNear, setNear] = useState(false);
  const row = useSwipe<HTMLDivElement>({
    right: mayAct && isOpen ? () => void perform([incident], { action: 'acknowledge' }) : undefined,
    left:
      mayAct && allows('snooze', incident.state)
        ? () => {
            const until = new Date(Date.now() + preferences().snoozeMinutes * 60_000).toISOString();
            void perform([incident], { action: 'snooze', until });
          }
        : undefined,
  });
  return (
    <div
      ref={row}
      className={classes.row}
      data-selected={selected || undefined}
      data-open={isOpen || undefined}
      data-incident={incident.id}
      style={{ '--mark': severityColour(incident.severity) } as CSSProperties}
      onPointerEnter={() => setNear(true)}
      onFocus={() => {
        setNear(true);
        onFocus(incident.id);
      }}
    >
      <span className={`${classes.check} ${classes.above}`}>
        {mayAct && (
          <input
            type="checkbox"
            className={classes.box}
            checked={selected}
            aria-label={`Select ${incident.title}`}
            onChange={() => undefined}
            onClick={(event) => onSelect(incident.id, event.shiftKey)}
            tabIndex={-1}
          />
        )}
      </span>
      <span className={classes.icon} title={SEVERITY_WORD[incident.severity]}>
        <SeverityIcon severity={incident.severity} size={16} />
      </span>
      <div className={styles.shrinking}>
        <Link href={href} className={`${classes.title} clip`} data-title>
          <span className="only-for-readers">{SEVERITY_WORD[incident.severity]}: </span>
          {incident.title}
        </Link>
        <Meta incident={incident} />
      </div>
      <span className={`${classes.chip} ${classes.shrinking}`}>
        {!isOpen && <StateChip state={incident.state} more={stateNote(incident)} />}
      </span>
      <span className={classes.spark} title="Events of the last 24 hours">
        <Sparkline counts={activity} />
      </span>
      {mayAct && isNear && <Acts incident={incident} silenceHref={silenceHref} />}
      <Side incident={incident} />
    </div>
  );
});

/** What is wrong with its notices, how many alerts fire, where it comes from, and its tags. */
function Meta({ incident }: SideProps) {
  const firing = firingNote(incident);
  return (
    <div className={classes.meta}>
      {incident.notifiedNobody && <NotifiedNobody short />}
      <Undelivered of={incident} short />
      {firing && <span className={`${styles.oneLine} ${styles.strong} numbers`}>{firing}</span>}
      <span className="clip">{incident.sourceName}</span>
      {incident.resource && <span className="clip">{incident.resource}</span>}
      {incident.tags.slice(0, 3).map((tag) => (
        <span key={tag} className="clip">
          #{tag}
        </span>
      ))}
      {incident.flapping && <span className={styles.warning}>flapping</span>}
    </div>
  );
}

type SideProps = {
  incident: IncidentRecord;
};

/** When the incident was last seen, and how many events it has. */
function Side({ incident }: SideProps) {
  return (
    <span className={classes.side}>
      <TimeAgo at={incident.lastSeenAt} />
      {incident.eventCount > 1 && (
        <span className={`numbers ${classes.eventCount}`} title={`${incident.eventCount} events`}>
          <Repeat size={11} aria-hidden /> {incident.eventCount.toLocaleString()}
          <span className="only-for-readers"> events</span>
        </span>
      )}
    </span>
  );
}

function Acts({ incident, silenceHref }: { incident: IncidentRecord; silenceHref: string }) {
  const offline = useOffline();
  const isResolved = incident.state === 'resolved';
  return (
    <span className={classes.acts}>
      {incident.state === 'open' && (
        <ActionIcon
          aria-label="Acknowledge"
          title="Acknowledge (a)"
          disabled={offline}
          onClick={() => perform([incident], { action: 'acknowledge' })}
        >
          <Eye size={17} aria-hidden />
        </ActionIcon>
      )}
      {allows('snooze', incident.state) && (
        <SnoozeMenu onChoose={(until) => perform([incident], { action: 'snooze', until })}>
          <ActionIcon aria-label="Snooze" title="Snooze (s)" disabled={offline}>
            <Clock size={17} aria-hidden />
          </ActionIcon>
        </SnoozeMenu>
      )}
      {!isResolved && (
        <>
          <ActionIcon
            aria-label="Resolve"
            title="Resolve (r)"
            disabled={offline}
            onClick={() => perform([incident], { action: 'resolve' })}
          >
            <Check size={17} aria-hidden />
          </ActionIcon>
          <ActionIcon component={Link} href={silenceHref} aria-label="Silence similar" title="Silence similar (m)">
            <BellOff size={17} aria-hidden />
          </ActionIcon>
        </>
      )}
      {isResolved && (
        <ActionIcon
          aria-label="Reopen"
          title="Reopen"
          disabled={offline}
          onClick={() => perform([incident], { action: 'reopen' })}
        >
          <Repeat size={17} aria-hidden />
        </ActionIcon>
      )}
    </span>
  );
}
