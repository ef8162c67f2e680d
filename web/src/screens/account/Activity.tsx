import { useInfiniteQuery } from '@tanstack/react-query';
import type { AuditRecord } from '@/api';
import { auditListOwnInfiniteOptions } from '@/api/@tanstack/react-query.gen';
import { pages } from '@/lib/requests/pages';
import { useSession } from '@/lib/session/workspace';
import { actionText } from '@/parts/audit/actions';
import { More } from '@/parts/DataTable';
import { SkeletonRows } from '@/parts/EmptyState';
import { ProblemAlert } from '@/parts/ProblemAlert';
import { SectionList, SectionRow, SettingsSection } from '@/parts/SettingsSection';
import styles from '@/parts/styles.module.css';
import { TimeAt } from '@/parts/TimeAgo';

/** Audit entries of the account: sign-ins, refused ones, and changes of its factors and devices. */
export function Activity() {
  const query = useInfiniteQuery({ ...auditListOwnInfiniteOptions({ query: { limit: 8 } }), ...pages });
  const entries = query.data?.pages.flatMap((page) => page.items) ?? [];
  return (
    <SettingsSection
      id="activity"
      title="Activity"
      about="Sign-ins and changes to your account. If one was not you, change your password: this signs out all other sessions."
    >
      {query.isPending && <SkeletonRows count={3} />}
      {query.error && <ProblemAlert fault={query.error} onRetry={() => query.refetch()} />}
      <SectionList label="Activity">
        {entries.map((entry) => (
          <Entry key={entry.id} of={entry} />
        ))}
      </SectionList>
      <More query={query} />
    </SettingsSection>
  );
}

function Entry({ of: entry }: { of: AuditRecord }) {
  const { me } = useSession();
  const by = typeof entry.details.by === 'string' ? `by ${entry.details.by.replaceAll('_', ' ')}` : '';
  const other = entry.actor.id !== '' && entry.actor.id !== me.id ? entry.actor.name : '';
  return (
    <SectionRow>
      <strong>{actionText(entry.action)}</strong> {entry.target.type !== 'user' && entry.target.name}
      <div className={`soft ${styles.small}`}>
        {[entry.ip, by, other && `by ${other}`].filter(Boolean).join(', ')}
        {(entry.ip || by || other) && ', '}
        <TimeAt at={entry.at} />
      </div>
    </SectionRow>
  );
}
