import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { chatAccountsRemove, type ChatAccountRecord } from '@/api';
import { chatAccountsListInfiniteOptions } from '@/api/@tanstack/react-query.gen';
import { pages } from '@/lib/requests/pages';
import { More } from '@/parts/DataTable';
import { SectionList, SectionRow, SettingsSection } from '@/parts/SettingsSection';
import styles from '@/parts/styles.module.css';
import { TimeAgo } from '@/parts/TimeAgo';
import { say } from '@/parts/toast';
import { ConfirmButton } from '@/parts/ConfirmButton';
import { refreshAccount } from '@/screens/account/refresh';
import { useAttempt } from '@/parts/useAttempt';

/** Linked chat accounts of the person, and of members for administrators. Without one there is no section. */
export function ChatAccounts() {
  const client = useQueryClient();
  const query = useInfiniteQuery({ ...chatAccountsListInfiniteOptions({ query: { limit: 20 } }), ...pages });
  const { busy, attempt } = useAttempt();
  const accounts = query.data?.pages.flatMap((page) => page.items) ?? [];
  if (accounts.length === 0) return null;
  const unlink = (account: ChatAccountRecord) =>
    attempt(account.id, async () => {
      await chatAccountsRemove({ path: { chat_account_id: account.id }, throwOnError: true });
      say('The chat account was unlinked');
      refreshAccount(client);
    });
  return (
    <SettingsSection
      id="chat-accounts"
      title="Chat accounts"
      about="Message buttons pressed from a linked account act as its member."
    >
      <SectionList label="Chat accounts">
        {accounts.map((account) => (
          <SectionRow
            key={account.id}
            actions={
              <ConfirmButton
                word="Unlink"
                label={`Unlink ${account.name}`}
                title={`Unlink ${account.name}`}
                busy={busy === account.id}
                onConfirm={() => void unlink(account)}
              >
                Buttons pressed by {account.name} no longer act as {account.user.name}.
              </ConfirmButton>
            }
          >
            <strong>{account.name}</strong>
            <div className={`soft ${styles.small}`}>
              {account.service} account {account.accountId} of {account.user.name},{' '}
              {account.lastUsedAt ? (
                <>
                  used <TimeAgo at={account.lastUsedAt} />
                </>
              ) : (
                'never used'
              )}
            </div>
          </SectionRow>
        ))}
      </SectionList>
      <More query={query} />
    </SettingsSection>
  );
}
