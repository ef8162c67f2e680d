import { Badge, Group, Text } from '@mantine/core';
import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { trustedBrowsersRemove, trustedBrowsersRemoveAll, type TrustedBrowserRecord } from '@/api';
import { trustedBrowsersListInfiniteOptions } from '@/api/@tanstack/react-query.gen';
import { pages } from '@/lib/requests/pages';
import { browserOf } from '@/lib/session/browsers';
import { More } from '@/parts/DataTable';
import { SkeletonRows } from '@/parts/EmptyState';
import { ProblemAlert } from '@/parts/ProblemAlert';
import { SectionList, SectionRow, SettingsSection } from '@/parts/SettingsSection';
import styles from '@/parts/styles.module.css';
import { TimeAgo } from '@/parts/TimeAgo';
import { say } from '@/parts/toast';
import { ConfirmButton } from '@/parts/ConfirmButton';
import { refreshAccount } from '@/screens/account/refresh';
import { useAttempt } from '@/parts/useAttempt';

/** Browsers in which a sign-in does not ask for the second factor. */
export function TrustedBrowsers() {
  const client = useQueryClient();
  const query = useInfiniteQuery({ ...trustedBrowsersListInfiniteOptions({ query: { limit: 20 } }), ...pages });
  const { busy, attempt } = useAttempt();
  const browsers = query.data?.pages.flatMap((page) => page.items) ?? [];
  const forget = (browser: TrustedBrowserRecord) =>
    attempt(browser.id, async () => {
      await trustedBrowsersRemove({ path: { trusted_browser_id: browser.id }, throwOnError: true });
      say('The browser was forgotten');
      refreshAccount(client);
    });
  const forgetAll = () =>
    attempt('all', async () => {
      await trustedBrowsersRemoveAll({ throwOnError: true });
      say('All trusted browsers were forgotten');
      refreshAccount(client);
    });
  return (
    <SettingsSection
      id="trusted-browsers"
      title="Trusted browsers"
      about="You sign in there without your second factor. Changing your password or a factor forgets all of them."
    >
      {query.isPending && <SkeletonRows count={1} />}
      {query.error && <ProblemAlert fault={query.error} onRetry={() => query.refetch()} />}
      {query.isSuccess && browsers.length === 0 && (
        <Text size="sm" className="soft">
          None. Every sign-in with your password asks for your second factor.
        </Text>
      )}
      {browsers.length > 0 && (
        <SectionList label="Trusted browsers">
          {browsers.map((browser) => (
            <BrowserRow key={browser.id} browser={browser} busy={busy} forget={forget} />
          ))}
        </SectionList>
      )}
      <More query={query} />
      {browsers.length > 1 && (
        <Group>
          <ConfirmButton
            word="Forget all"
            title="Forget all trusted browsers"
            busy={busy === 'all'}
            onConfirm={() => void forgetAll()}
          >
            The next sign-in in each of them asks for your second factor. Sessions continue.
          </ConfirmButton>
        </Group>
      )}
    </SettingsSection>
  );
}

type BrowserRowProps = {
  browser: TrustedBrowserRecord;
  busy: string;
  forget: (browser: TrustedBrowserRecord) => Promise<void>;
};

/** One trusted browser, and the way to forget it. */
function BrowserRow({ browser, busy, forget }: BrowserRowProps) {
  return (
    <SectionRow
      actions={
        <ConfirmButton
          word="Forget"
          label={`Forget ${browserOf(browser.userAgent)}`}
          title="Forget this browser"
          busy={busy === browser.id}
          onConfirm={() => void forget(browser)}
        >
          The next sign-in in {browserOf(browser.userAgent)} asks for your second factor. Its session continues.
        </ConfirmButton>
      }
    >
      <strong title={browser.userAgent}>{browserOf(browser.userAgent)}</strong>
      {browser.current && (
        <Badge size="sm" variant="default" tt="none" ml={6}>
          This browser
        </Badge>
      )}
      <div className={`soft ${styles.small}`}>
        Trusted <TimeAgo at={browser.createdAt} />, ends <TimeAgo at={browser.expiresAt} />,{' '}
        {browser.lastUsedAt ? (
          <>
            used <TimeAgo at={browser.lastUsedAt} />
          </>
        ) : (
          'not used yet'
        )}
      </div>
    </SectionRow>
  );
}
