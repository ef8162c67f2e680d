import { Stack } from '@mantine/core';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import type { UserRecord } from '@/api';
import { contactMethodsListInfiniteOptions, meReadNotificationRulesOptions } from '@/api/@tanstack/react-query.gen';
import { pages } from '@/lib/requests/pages';
import { useAllPages } from '@/lib/requests/useAllPages';
import { SkeletonRows } from '@/parts/EmptyState';
import { ProblemAlert } from '@/parts/ProblemAlert';
import { SettingsSection } from '@/parts/SettingsSection';
import { ContactMethods } from '@/screens/account/ContactMethods';
import { NotificationRules } from '@/screens/account/NotificationRules';

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
            <NotificationRules stored={rules.data} email={me.email} contacts={found} />
            <ContactMethods contacts={found} />
          </>
        )}
      </Stack>
    </SettingsSection>
  );
}
