import { Button, Group, Menu, Text } from '@mantine/core';
import { useState } from 'react';
import { Link } from 'wouter';
import { silencesEnd, silencesExtend, type SilenceRecord } from '@/api';
import type { Names } from '@/lib/configuration/names';
import { useWorkspace } from '@/lib/session/workspace';
import { clock, duration, useNow } from '@/lib/time/time';
import { counted } from '@/lib/words/words';
import { Modal } from '@/parts/dialogs';
import { TooCostly } from '@/parts/match/TooCostly';
import styles from '@/parts/styles.module.css';
import { TimeAgo } from '@/parts/TimeAgo';
import { say, sayFault } from '@/parts/toast';
import { recurrenceText } from '@/screens/silences/recurrenceText';
import classes from '@/screens/silences/Silences.module.css';

type Props = { silence: SilenceRecord; names: Names; mayEdit: boolean; onChanged: () => Promise<unknown> };

const EXTENSIONS: readonly [string, number][] = [
  ['1 hour', 60],
  ['4 hours', 240],
  ['1 day', 1440],
  ['1 week', 10_080],
];

export function SilenceRow({ silence, names, mayEdit, onChanged }: Props) {
  const { href } = useWorkspace();
  return (
    <li className={classes.row}>
      <div>
        <Link href={href(`silences/${silence.id}`)} data-title className={classes.name}>
          {silence.comment}
        </Link>
        <TooCostly record={silence.tooCostly} />
        <p className="mono soft">
          {silence.matchText}
          {silence.sourceIds.length > 0 && ` · from ${silence.sourceIds.map(names.of).join(', ')}`}
        </p>
      </div>
      <When silence={silence} />
      <div className={classes.facts}>
        {silence.state === 'active' && (
          <Link href={href(`inbox?state=silenced&q=silence:${silence.id}`)} className={styles.link}>
            silences {counted(silence.silencedIncidents, 'incident')}
          </Link>
        )}
        <span className="soft">
          {silence.matchedEvents > 0 ? (
            <>
              {counted(silence.matchedEvents, 'event')}
              {silence.lastMatchedAt && (
                <>
                  , last <TimeAgo at={silence.lastMatchedAt} />
                </>
              )}
            </>
          ) : (
            'no event matched'
          )}
        </span>
        <span className="soft">by {silence.createdBy?.name ?? 'a former member'}</span>
      </div>
      {mayEdit && <Acts silence={silence} onChanged={onChanged} />}
    </li>
  );
}

/** The countdown, with the part of the time that is left. */
function When({ silence }: { silence: SilenceRecord }) {
  const now = useNow();
  const { startsAt, endsAt, state, nextChangeAt, recurrence } = silence;
  const left = Date.parse(nextChangeAt ?? endsAt) - now;
  if (state === 'expired')
    return (
      <div className={classes.facts}>
        <span>
          ended <TimeAgo at={endsAt} />
        </span>
        <span className="soft">
          {clock(startsAt)} to {clock(endsAt)}
        </span>
      </div>
    );
  const isActive = state === 'active';
  const share = Math.min(
    1,
    Math.max(0, left / (recurrence ? recurrence.durationMinutes * 60_000 : Date.parse(endsAt) - Date.parse(startsAt))),
  );
  return (
    <div className={classes.facts}>
      <strong className="numbers">
        {isActive
          ? `${left > 0 ? duration(left / 1000) : 'less than a minute'} left`
          : `starts in ${duration(Math.max(0, left / 1000))}`}
      </strong>
      {isActive && (
        <span className={classes.rest} aria-hidden>
          <span style={{ width: `${share * 100}%` }} />
        </span>
      )}
      <span className="soft">
        {isActive
          ? `until ${clock(nextChangeAt ?? endsAt)}`
          : `${clock(nextChangeAt ?? startsAt)}${recurrence ? '' : ` to ${clock(endsAt)}`}`}
      </span>
      {recurrence && (
        <span className="soft">
          {recurrenceText(recurrence)}, until {clock(endsAt)}
        </span>
      )}
    </div>
  );
}

function Acts({ silence, onChanged }: Pick<Props, 'silence' | 'onChanged'>) {
  const { href } = useWorkspace();
  const [busy, setBusy] = useState(false);
  const [isConfirming, setIsConfirming] = useState(false);
  if (silence.state === 'expired') {
    const params = new URLSearchParams({
      match: silence.matchText,
      comment: silence.comment,
      ...(silence.sourceIds.length > 0 ? { sources: silence.sourceIds.join(',') } : {}),
    });
    return (
      <div className={classes.acts}>
        <Button variant="default" component={Link} href={href(`silences/new?${params.toString()}`)} mih="var(--target)">
          Create again
        </Button>
      </div>
    );
  }
  const run = async (act: () => Promise<unknown>, done: string) => {
    setBusy(true);
    try {
      await act();
      say(done);
    } catch (fault) {
      sayFault(fault);
    }
    // The next extension is counted from the end that is stored now.
    await onChanged();
    setBusy(false);
    setIsConfirming(false);
  };
  const extend = (minutes: number, word: string) => {
    const endsAt = new Date(Date.parse(silence.endsAt) + minutes * 60_000).toISOString();
    void run(
      () => silencesExtend({ path: { silence_id: silence.id }, body: { endsAt }, throwOnError: true }),
      `Silence extended by ${word}`,
    );
  };
  const end = () =>
    void run(() => silencesEnd({ path: { silence_id: silence.id }, throwOnError: true }), 'Silence ended');
  return (
    <div className={classes.acts}>
      <Menu position="bottom-end">
        <Menu.Target>
          <Button variant="default" disabled={busy} mih="var(--target)">
            Extend
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          {EXTENSIONS.map(([word, minutes]) => (
            <Menu.Item key={word} mih="var(--target)" onClick={() => extend(minutes, word)}>
              by {word}
            </Menu.Item>
          ))}
        </Menu.Dropdown>
      </Menu>
      <Button variant="default" disabled={busy} mih="var(--target)" onClick={() => setIsConfirming(true)}>
        End
      </Button>
      <Modal opened={isConfirming} onClose={() => setIsConfirming(false)} title="End this silence now?">
        <Text size="sm">{silence.comment}</Text>
        <Text size="sm" className="soft" mt={4}>
          {silence.silencedIncidents > 0
            ? `${counted(silence.silencedIncidents, 'incident')} return to their previous state and may send notifications.`
            : 'It silences no incident now.'}{' '}
          It cannot be restarted.
        </Text>
        <Group justify="flex-end" mt="md">
          <Button variant="default" onClick={() => setIsConfirming(false)}>
            Keep it
          </Button>
          <Button loading={busy} onClick={end}>
            End the silence
          </Button>
        </Group>
      </Modal>
    </div>
  );
}
