import { Title } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Check, Hourglass, UserX } from 'lucide-react';
import { useState } from 'react';
import type { IncidentRecord, PageRecord } from '@/api';
import { incidentsPagesInfiniteOptions } from '@/api/@tanstack/react-query.gen';
import { pages } from '@/lib/requests/pages';
import { useNow } from '@/lib/time/time';
import { More } from '@/parts/DataTable';
import { Unfold } from '@/parts/events/EventContent';
import styles from '@/parts/styles.module.css';
import { TimeAgo } from '@/parts/TimeAgo';
import classes from '@/screens/incidents/Incident.module.css';
import { answerText, contactText, whoText } from '@/screens/incidents/pageWords';

const FEW = 3;

/** The pages of an incident, newest first. */
export function usePages(incident: IncidentRecord) {
  return useInfiniteQuery({
    ...incidentsPagesInfiniteOptions({ path: { incident_id: incident.id }, query: { limit: 20 } }),
    ...pages,
  });
}

/** Who was paged, how, and when each person answered. Without a page there is no section. */
export function Pages({ incident }: { incident: IncidentRecord }) {
  const [isAll, setAll] = useState(false);
  const query = usePages(incident);
  const found = query.data?.pages.flatMap((page) => page.items) ?? [];
  if (found.length === 0) return null;
  return (
    <section className={classes.happened} aria-labelledby="paged">
      <Title order={2} id="paged" mb={4}>
        Paged
      </Title>
      <ul className={classes.entries} aria-label="Paged people">
        {(isAll ? found : found.slice(0, FEW)).map((page) => (
          <Page key={page.id} page={page} />
        ))}
      </ul>
      {found.length > FEW && (
        <Unfold isOpen={isAll} onChange={setAll} open="Earlier pages" close="Hide earlier pages" />
      )}
      {isAll && <More query={query} />}
    </section>
  );
}

function Page({ page }: { page: PageRecord }) {
  const now = useNow();
  const answer = answerText(page, now);
  const Icon = page.cause !== null ? UserX : page.answer === null ? Hourglass : Check;
  const contacts = page.contacts.map((each) => contactText(each, now)).join(', ');
  return (
    <li className={classes.page}>
      <Icon size={15} className={styles.rigid} aria-hidden />
      <span className={styles.rowText}>
        <strong>{whoText(page)}</strong>{' '}
        <span className="soft">
          <TimeAgo at={page.at} />
        </span>
        {answer && (
          <>
            {' '}
            · <span data-answered={page.answer !== null || undefined}>{answer}</span>
          </>
        )}
        <span className={`soft ${styles.block} ${styles.small}`}>{page.cause === null ? contacts : page.text}</span>
      </span>
    </li>
  );
}
