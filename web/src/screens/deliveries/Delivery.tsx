import { Button, Group, Skeleton, Text } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { RotateCw } from 'lucide-react';
import { Link } from 'wouter';
import { deliveriesReplay, type AttemptRecord, type DeliveryRecord } from '@/api';
import { deliveriesReadOptions, noticesReadOptions } from '@/api/@tanstack/react-query.gen';
import { queries } from '@/lib/requests/queries';
import { useWorkspace } from '@/lib/session/workspace';
import { requestText } from '@/lib/words/requestText';
import { CopyButton } from '@/parts/CopyButton';
import { ProblemAlert } from '@/parts/ProblemAlert';
import { RetryNow } from '@/parts/RetryNow';
import { CodeBlock } from '@/parts/Snippets';
import styles from '@/parts/styles.module.css';
import { TimeAt } from '@/parts/TimeAgo';
import { say, sayFault } from '@/parts/toast';
import classes from '@/screens/deliveries/Deliveries.module.css';
import { Status } from '@/screens/deliveries/Status';
import { answerOf, causeOf, REASONS, STATUSES } from '@/screens/deliveries/words';

/** One delivery: what became of it, and each attempt with the answer. */
export function Delivery({ id, onReplayed }: { id: DeliveryRecord['id']; onReplayed: (id: string) => void }) {
  const query = useQuery(deliveriesReadOptions({ path: { delivery_id: id } }));
  if (query.isPending) return <Skeleton h={160} />;
  if (!query.data) return <ProblemAlert fault={query.error} onRetry={() => query.refetch()} />;
  return (
    <>
      {query.error && <ProblemAlert fault={query.error} />}
      <Facts delivery={query.data} />
      <Replay delivery={query.data} onReplayed={onReplayed} />
      <Attempts delivery={query.data} />
      <Sent delivery={query.data} />
    </>
  );
}

function Facts({ delivery }: { delivery: DeliveryRecord }) {
  const { href } = useWorkspace();
  const rows: [string, React.ReactNode][] = [
    ['Status', <Status key="status" delivery={delivery} />],
    ['Why', delivery.cause && causeOf(delivery.cause)],
    [
      'Incident',
      delivery.incident && (
        <Link key="incident" href={href(`incidents/${delivery.incident.id}`)} className={styles.link}>
          #{delivery.incident.number} {delivery.incident.title}
        </Link>
      ),
    ],
    ['Reason', REASONS[delivery.reason]],
    [
      'Digest',
      delivery.digest && (
        <Link key="digest" href={href(`deliveries/${delivery.digest.deliveryId}`)} className={styles.link}>
          {STATUSES[delivery.digest.status]}, <TimeAt at={delivery.digest.at} short />
        </Link>
      ),
    ],
    [
      'Notifications',
      delivery.gathered !== null && (
        <Link key="gathered" href={href(`deliveries?digestId=${delivery.id}`)} className={styles.link}>
          {delivery.gathered.toLocaleString()} in this digest
        </Link>
      ),
    ],
    [
      'Destination',
      delivery.destination.deleted ? (
        `${delivery.destination.name} (deleted)`
      ) : (
        <Link key="destination" href={href(`destinations?edit=${delivery.destination.id}`)} className={styles.link}>
          {delivery.destination.name}
        </Link>
      ),
    ],
    ['Created', <TimeAt key="created" at={delivery.createdAt} />],
    ['Next attempt', delivery.nextAttemptAt && <TimeAt key="next" at={delivery.nextAttemptAt} />],
    ['Finished', delivery.settledAt && <TimeAt key="settled" at={delivery.settledAt} />],
    [
      'Replay of',
      delivery.replayOf && (
        <Link key="replay" href={href(`deliveries/${delivery.replayOf}`)} className={styles.link}>
          the first delivery
        </Link>
      ),
    ],
    [
      'webhook-id',
      <span key="id">
        <span className="mono">{delivery.id}</span> <CopyButton value={delivery.id} label="Copy the id" inline />
      </span>,
    ],
  ];
  return (
    <dl className={classes.facts}>
      {rows
        .filter(([, value]) => value !== null && value !== false && value !== '')
        .map(([name, value]) => (
          <div key={name} className={styles.contents}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
    </dl>
  );
}

function Replay({ delivery, onReplayed }: { delivery: DeliveryRecord; onReplayed: (id: string) => void }) {
  const { can } = useWorkspace();
  const isFinal = ['sent', 'failed', 'skipped', 'expired', 'gathered'].includes(delivery.status);
  const replay = useMutation({
    mutationFn: async () => (await deliveriesReplay({ path: { delivery_id: delivery.id }, throwOnError: true })).data,
    onSuccess: (next) => {
      say('The replay is queued');
      void queries.invalidateQueries({
        predicate: ({ queryKey }) => (queryKey[0] as { _id?: string })?._id === 'deliveriesList',
      });
      onReplayed(next.id);
    },
    onError: sayFault,
  });
  if (delivery.status === 'retrying' && !delivery.destination.deleted)
    return (
      <Group my="md">
        <RetryNow id={delivery.destination.id} name={delivery.destination.name} />
      </Group>
    );
  if (!can('admin') || !isFinal || delivery.destination.deleted) return null;
  return (
    <Group my="md" gap="sm">
      <Button
        leftSection={<RotateCw size={15} aria-hidden />}
        variant="default"
        mih="var(--target)"
        loading={replay.isPending}
        onClick={() => replay.mutate()}
      >
        Replay
      </Button>
      <Text size="xs" className="soft">
        Sends the same notification with a new webhook-id.
      </Text>
    </Group>
  );
}

function Attempts({ delivery }: { delivery: DeliveryRecord }) {
  const { attempts } = delivery;
  return (
    <section aria-labelledby="attempts">
      <h3 id="attempts" className={classes.heading}>
        {attempts.length > 0 ? `Attempt ${attempts.length} of ${delivery.attemptsMax}` : 'Attempts'}
      </h3>
      {attempts.length === 0 && (
        <Text size="sm" className="soft">
          Nothing was sent yet.
        </Text>
      )}
      <ol className={classes.ladder}>
        {attempts.map((attempt, index) => (
          <Attempt key={attempt.at + index} attempt={attempt} />
        ))}
      </ol>
    </section>
  );
}

function Attempt({ attempt }: { attempt: AttemptRecord }) {
  return (
    <li data-failed={attempt.error !== null || undefined}>
      <span className={classes.attempt}>
        <strong>{answerOf(attempt)}</strong>
        <span className="soft">
          <TimeAt at={attempt.at} />
        </span>
      </span>
      {attempt.error && attempt.statusCode !== null && <span className="soft">{causeOf(attempt.error)}</span>}
      {attempt.note && <span className="soft">{attempt.note}</span>}
      {attempt.responseExcerpt && (
        <pre className={classes.excerpt} tabIndex={0}>
          {attempt.responseExcerpt}
        </pre>
      )}
    </li>
  );
}

/** The requests of the last attempt, as they were sent. The body of a webhook is that of the notice. */
function Sent({ delivery }: { delivery: DeliveryRecord }) {
  const notice = useQuery({
    ...noticesReadOptions({ path: { notice_id: delivery.noticeId } }),
    enabled: delivery.attempts.length > 0,
  });
  const own = notice.data?.decisions.flatMap((each) => each.deliveries).find((each) => each.id === delivery.id);
  const requests = own?.attempts.at(-1)?.requests ?? [];
  const body = notice.data?.body ?? '';
  if (requests.length === 0) return null;
  return (
    <section aria-labelledby="sent">
      <h3 id="sent" className={classes.heading}>
        What was sent
      </h3>
      {requests.map((request, index) => (
        <CodeBlock
          key={index}
          text={requestText({ ...request, body: request.body || body })}
          label={`Request ${index + 1}`}
        />
      ))}
    </section>
  );
}
