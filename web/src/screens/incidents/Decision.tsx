import { Button } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { BellOff, CircleAlert, CircleCheck, Hourglass, RotateCw } from 'lucide-react';
import { Link } from 'wouter';
import { deliveriesReplay, type NoticeDecision } from '@/api';
import { refresh } from '@/lib/requests/refresh';
import { useWorkspace } from '@/lib/session/workspace';
import { localText } from '@/lib/time/localText';
import { RetryNow } from '@/parts/RetryNow';
import styles from '@/parts/styles.module.css';
import { TimeAt } from '@/parts/TimeAgo';
import { say, sayFault } from '@/parts/toast';
import { useOffline } from '@/live/online';
import { resendable, statusOf } from '@/screens/incidents/delivered';
import incident from '@/screens/incidents/Incident.module.css';
import classes from '@/screens/incidents/Notices.module.css';

/** The decision for one destination, its receiver's answer, and the replay button. */
export function Decision({ decision }: { decision: NoticeDecision }) {
  const { href } = useWorkspace();
  const [Icon, colour] = look(decision);
  const attempts = decision.deliveries.flatMap((delivery) => delivery.attempts);
  const next = decision.deliveries.find((delivery) => delivery.nextAttemptAt)?.nextAttemptAt;
  const delivery = decision.deliveries.at(-1);
  const last = attempts.at(-1);
  const status = last ? (last.statusCode === null ? (last.error ?? 'no response') : String(last.statusCode)) : null;
  return (
    <li className={classes.decision}>
      <Icon size={15} aria-hidden color={colour} className={incident.besideText} />
      <div className={styles.shrinking}>
        {localText(decision.text)}
        {status !== null && (
          <span className="soft">
            {' '}
            HTTP {status}
            {last?.durationMs != null && ` · ${last.durationMs.toLocaleString()} ms`}, attempt {attempts.length}.
          </span>
        )}
        {next && (
          <span className="soft">
            {' '}
            Next attempt <TimeAt at={next} short />.
          </span>
        )}
        {last?.responseExcerpt && <p className={classes.answer}>{last.responseExcerpt}</p>}
      </div>
      {delivery && (
        <span className={classes.acts}>
          <SendAgain decision={decision} />
          {delivery.status === 'retrying' && attempts.length > 0 && (
            <RetryNow id={delivery.destination.id} name={decision.name} />
          )}
          <Link href={href(`deliveries/${delivery.id}`)} className={classes.link}>
            Delivery<span className="only-for-readers"> to {decision.name}</span>
          </Link>
        </span>
      )}
    </li>
  );
}

/** Administrators send the same notice again, with a new webhook-id. */
function SendAgain({ decision }: { decision: NoticeDecision }) {
  const { can } = useWorkspace();
  const offline = useOffline();
  const delivery = resendable(decision);
  const replay = useMutation({
    mutationFn: (id: NoticeDecision['deliveries'][number]['id']) =>
      deliveriesReplay({ path: { delivery_id: id }, throwOnError: true }),
    onSuccess: () => {
      say(`The notification is queued for ${decision.name}.`);
      return refresh('incidentsNotices', 'deliveriesList');
    },
    onError: sayFault,
  });
  if (!delivery || !can('admin')) return null;
  return (
    <Button
      variant="subtle"
      size="compact-sm"
      mih="var(--target)"
      leftSection={<RotateCw size={13} aria-hidden />}
      aria-label={`Resend to ${decision.name}`}
      disabled={offline}
      loading={replay.isPending}
      onClick={() => replay.mutate(delivery.id)}
    >
      Resend
    </Button>
  );
}

function look(decision: NoticeDecision): [typeof CircleCheck, string] {
  const status = statusOf(decision);
  if (status === 'sent') return [CircleCheck, 'var(--severity-success)'];
  if (status === 'failed' || status === 'expired') return [CircleAlert, 'var(--severity-critical)'];
  if (status === 'pending' || status === 'sending' || status === 'retrying' || status === 'held')
    return [Hourglass, 'var(--severity-warning)'];
  return [BellOff, 'var(--text-soft)'];
}
