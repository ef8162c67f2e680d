import { Loader, Select, Skeleton, Text, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { type ConsideredPerson, profilesSimulateDraft, type SimulationResponse } from '@/api';
import { useWorkspace } from '@/lib/session/workspace';
import { momentOf } from '@/lib/time/localTime';
import { clock } from '@/lib/time/time';
import { SEVERITIES, SEVERITY_WORD, type Severity } from '@/lib/words/words';
import { ProblemAlert } from '@/parts/ProblemAlert';
import styles from '@/parts/styles.module.css';
import { TimeAt } from '@/parts/TimeAgo';
import { missing, type ProfileForm, reaches } from '@/screens/profiles/draft';
import classes from '@/screens/profiles/Profiles.module.css';

const DAY = 86_400_000;

/** The next 24 hours of an imagined incident: a lane for each destination, and each notice in words. */
export function Simulation({ form }: { form: ProfileForm }) {
  const { workspace } = useWorkspace();
  const [severity, setSeverity] = useState<Severity>('ERROR');
  const [at, setAt] = useState('');
  const isReady = form.steps.every(reaches);
  const profile = { ...form, name: form.name.trim() || 'Profile' };
  const [settled] = useDebouncedValue(isReady ? JSON.stringify({ profile, severity, at }) : '', 500);
  const query = useQuery({
    queryKey: ['simulation', workspace.id, settled],
    queryFn: async ({ signal }) => {
      const request = JSON.parse(settled) as { profile: ProfileForm; severity: Severity; at: string };
      const begin = request.at ? momentOf(request.at) : new Date();
      const body = {
        workspaceId: workspace.id,
        profile: request.profile,
        severity: request.severity,
        at: begin.toISOString(),
      };
      const { data } = await profilesSimulateDraft({ body, throwOnError: true, signal });
      return { ...data, from: begin.getTime() };
    },
    enabled: isReady && settled !== '',
    staleTime: 60_000,
    retry: false,
    placeholderData: keepPreviousData,
  });
  return (
    <aside className={classes.simulation} aria-labelledby="simulation">
      <h2 id="simulation" className={classes.heading}>
        The next 24 hours {query.isFetching && <Loader size={12} role="status" aria-label="Calculating" />}
      </h2>
      <div className={classes.questions}>
        <Select
          label="An incident that is"
          allowDeselect={false}
          value={severity}
          onChange={(value) => setSeverity(value ?? 'ERROR')}
          data={SEVERITIES.map((each) => ({ value: each, label: SEVERITY_WORD[each] }))}
          flex="1 1 130px"
        />
        <TextInput
          type="datetime-local"
          label="that opens at"
          value={at}
          onChange={(event) => setAt(event.currentTarget.value)}
          flex="1 1 180px"
        />
      </div>
      {!isReady && (
        <Text size="sm" className="soft">
          {missing(form)}
        </Text>
      )}
      {isReady && query.error && <ProblemAlert fault={query.error} onRetry={() => query.refetch()} />}
      {isReady && query.isPending && <Skeleton h={120} />}
      {isReady && !query.error && query.data && <Result {...query.data} />}
      <Text size="xs" className="soft" mt="sm">
        Without a time, it opens now. Assumes that nobody acts and no further events arrive. Nothing is sent.
      </Text>
    </aside>
  );
}

function Result({ items, from }: SimulationResponse & { from: number }) {
  if (items.length === 0)
    return (
      <Text size="sm" role="status">
        Nobody would be notified within 24 hours.
      </Text>
    );
  return (
    <>
      <Lanes items={items} from={from} />
      <ol className={classes.notices}>
        {items.map((item, index) => (
          <li key={`${item.at}${index}`}>
            <span className={styles.pair}>
              <strong className="numbers">
                <TimeAt at={item.at} short />
              </strong>{' '}
              <span>{item.text}</span>
            </span>
            {item.people.map((each) => (
              <span key={each.userId ?? each.scheduleId ?? each.name} className={`soft ${styles.block}`}>
                {pageText(each)}
              </span>
            ))}
            {item.destinations
              .filter((each) => each.decision !== 'notify')
              .map((each) => (
                <span key={each.id ?? each.name} className={`soft ${styles.block}`}>
                  {each.text}
                  {each.heldUntil && ` Until ${clock(each.heldUntil)}.`}
                </span>
              ))}
          </li>
        ))}
      </ol>
    </>
  );
}

/** Whom a step would page, by name. */
function pageText({ decision, name, userId, scheduleId }: ConsideredPerson): string {
  if (decision === 'nobody_on_call') return `Nobody is on call by ${name}.`;
  if (decision === 'unreachable') return `${name} cannot be reached: no method of their notification rules works.`;
  return userId !== null && scheduleId !== null ? `${name} is on call then, and is paged.` : `${name} is paged.`;
}

/** A picture of what the list below says. */
function Lanes({ items, from }: { items: SimulationResponse['items']; from: number }) {
  const lanes = [
    ...new Map(items.flatMap((item) => item.destinations).map((each) => [each.id ?? each.name, each.name])).entries(),
  ].slice(0, 8);
  const height = lanes.length * 34 + 20;
  const x = (at: string) => Math.min(98.5, Math.max(1.5, ((Date.parse(at) - from) / DAY) * 100));
  if (lanes.length === 0) return null;
  return (
    <svg width="100%" height={height} aria-hidden className={styles.block}>
      {[0, 6, 12, 18, 24].map((hour) => (
        <g key={hour}>
          <line
            x1={`${(hour / 24) * 100}%`}
            x2={`${(hour / 24) * 100}%`}
            y1="0"
            y2={height - 18}
            stroke="var(--line)"
          />
          {hour % 12 === 0 && (
            <text
              x={`${(hour / 24) * 100}%`}
              y={height - 4}
              fontSize="11"
              fill="var(--text-soft)"
              textAnchor={hour === 0 ? 'start' : hour === 24 ? 'end' : 'middle'}
            >
              {clock(new Date(from + hour * 3_600_000).toISOString())}
            </text>
          )}
        </g>
      ))}
      {lanes.map(([id, name], lane) => (
        <g key={id}>
          <text x="0" y={lane * 34 + 12} fontSize="12" fill="var(--text)">
            {name}
          </text>
          <line x1="0" x2="100%" y1={lane * 34 + 24} y2={lane * 34 + 24} stroke="var(--line)" />
          {items.flatMap((item) =>
            item.destinations
              .filter((each) => (each.id ?? each.name) === id)
              .map((each) => {
                const isSent = each.decision === 'notify' || each.decision === 'mailed';
                const isHeld = each.heldUntil !== null;
                return (
                  <circle
                    key={item.at + item.reason}
                    cx={`${x(each.heldUntil ?? item.at)}%`}
                    cy={lane * 34 + 24}
                    r={isSent || isHeld ? 4.5 : 3}
                    fill={isSent ? 'var(--focus)' : 'var(--ground)'}
                    stroke={isSent || isHeld ? 'var(--focus)' : 'var(--text-soft)'}
                    strokeWidth="1.5"
                  />
                );
              }),
          )}
        </g>
      ))}
    </svg>
  );
}
