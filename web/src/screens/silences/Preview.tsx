import { Loader, Skeleton, Text } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { silencesPreview, type SilenceNew } from '@/api';
import { useWorkspace } from '@/lib/session/workspace';
import { isComplete, requestOf } from '@/parts/match/tree';
import { ProblemAlert } from '@/parts/ProblemAlert';
import { SeverityIcon } from '@/parts/SeverityBadge';
import styles from '@/parts/styles.module.css';
import { TimeAgo } from '@/parts/TimeAgo';
import type { SilenceForm } from '@/screens/silences/draft';
import classes from '@/screens/silences/Silences.module.css';

/** The unresolved incidents that the silence would cover now. */
export function Preview({ form }: { form: SilenceForm }) {
  const { workspace, href } = useWorkspace();
  const isReady = isComplete(form.match);
  const [settled] = useDebouncedValue(
    isReady ? JSON.stringify({ ...requestOf(form.match), sourceIds: form.sourceIds }) : '',
    500,
  );
  const preview = useQuery({
    queryKey: ['silencePreview', workspace.id, settled],
    queryFn: async ({ signal }) => {
      const match = JSON.parse(settled) as Pick<SilenceNew, 'match' | 'matchText' | 'sourceIds'>;
      return (await silencesPreview({ body: { workspaceId: workspace.id, ...match }, throwOnError: true, signal }))
        .data;
    },
    enabled: isReady && settled !== '',
    staleTime: 15_000,
    retry: false,
    placeholderData: keepPreviousData,
  });
  return (
    <aside className={classes.preview} aria-labelledby="preview">
      <Text component="h2" id="preview" fw={600} size="sm" m={0} mb={4}>
        Preview {preview.isFetching && <Loader size={12} role="status" aria-label="Calculating" />}
      </Text>
      {!isReady && (
        <Text size="sm" className="soft">
          Complete each condition to see which incidents it would silence.
        </Text>
      )}
      {isReady && preview.error && <ProblemAlert fault={preview.error} onRetry={() => preview.refetch()} />}
      {isReady && preview.isPending && <Skeleton h={60} />}
      {isReady && !preview.error && preview.data && (
        <>
          <Text size="sm" role="status">
            {preview.data.text}
          </Text>
          <ul className={classes.list}>
            {preview.data.incidents.slice(0, 20).map((each) => (
              <li key={each.id} className={classes.matched}>
                <SeverityIcon severity={each.severity} />
                <Link href={href(`incidents/${each.id}`)} className={`clip ${styles.link}`}>
                  {each.title}
                </Link>
                <span className={`soft ${styles.atEnd}`}>
                  <TimeAgo at={each.lastSeenAt} />
                </span>
              </li>
            ))}
          </ul>
          {preview.data.count > 20 && (
            <Text size="xs" className="soft" mt={4}>
              And {(preview.data.count - 20).toLocaleString()} more.
            </Text>
          )}
        </>
      )}
      <Text size="xs" className="soft" mt="sm">
        Critical incidents are silenced too, if they match.
      </Text>
    </aside>
  );
}
