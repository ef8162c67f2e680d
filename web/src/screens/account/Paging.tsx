import { Stack, Text } from '@mantine/core';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { TriangleAlert } from 'lucide-react';
import type { NotificationRulesRecord, UserRecord } from '@/api';
import { contactMethodsListInfiniteOptions, meReadNotificationRulesOptions } from '@/api/@tanstack/react-query.gen';
import { pages } from '@/lib/requests/pages';
import { useAllPages } from '@/lib/requests/useAllPages';
import { SkeletonRows } from '@/parts/EmptyState';
import { ProblemAlert } from '@/parts/ProblemAlert';
import { SettingsSection } from '@/parts/SettingsSection';
import styles from '@/parts/styles.module.css';
import { ContactMethods } from '@/screens/account/ContactMethods';
import { NotificationRules } from '@/screens/account/NotificationRules';

const PROBLEM: Record<NotificationRulesRecord['problems'][number], string> = {
  no_rules: 'You have no rules: pages are sent by push and mail at once.',
  no_phone: 'Your rules use push, and no phone of yours receives notifications.',
  no_mail: 'Your rules use mail, and this instance does not send mail.',
  method_fails: 'Your rules use a contact method that does not work now.',
  unreachable: 'Pages do not reach you. Pair a phone, or add a rule with a method that works.',
};

/** How the person is reached when a step, a rule or somebody pages them. */
export function Paging({ me }: { me: UserRecord }) {
  const rules = useQuery(meReadNotificationRulesOptions());
  const contacts = useInfiniteQuery({ ...contactMethodsListInfiniteOptions({ query: { limit: 20 } }), ...pages });
  useAllPages(contacts);
  const found = contacts.data?.pages.flatMap((page) => page.items) ?? [];
  const fault = rules.error ?? contacts.error;
  return (
    <SettingsSection
      id="paging"
      title="Paging"
      about="How you are reached when you are on call, or when somebody pages you. Only you see your addresses."
    >
      <Stack gap="md">
        {fault && <ProblemAlert fault={fault} onRetry={() => Promise.all([rules.refetch(), contacts.refetch()])} />}
        {(rules.isPending || contacts.isPending) && !fault && <SkeletonRows count={3} />}
        {rules.data && contacts.data && (
          <>
            {rules.data.problems.map((problem) => (
              <Text key={problem} size="sm" className={styles.line}>
                <TriangleAlert size={14} className={`${styles.rigid} ${styles.warning}`} aria-hidden />
                {PROBLEM[problem]}
              </Text>
            ))}
            <NotificationRules stored={rules.data} email={me.email} contacts={found} />
            <ContactMethods contacts={found} />
          </>
        )}
      </Stack>
    </SettingsSection>
  );
}
