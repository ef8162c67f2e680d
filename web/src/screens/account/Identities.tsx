import { Button } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { oidcUnlink } from '@/api';
import { factorsReadOptions, oidcProvidersOptions } from '@/api/@tanstack/react-query.gen';
import { goToProvider } from '@/lib/session/provider';
import { SectionList, SectionRow, SettingsSection } from '@/parts/SettingsSection';
import styles from '@/parts/styles.module.css';
import { TimeAgo } from '@/parts/TimeAgo';
import { say } from '@/parts/toast';
import { ConfirmButton } from '@/parts/ConfirmButton';
import { refreshAccount } from '@/screens/account/refresh';
import { useAttempt } from '@/parts/useAttempt';

/** Identity providers of this instance, linked or not. Without a provider there is no section. */
export function Identities() {
  const client = useQueryClient();
  const providers = useQuery(oidcProvidersOptions());
  const factors = useQuery(factorsReadOptions());
  const { busy, attempt } = useAttempt();
  const linked = factors.data?.identities ?? [];
  const configured = providers.data?.items ?? [];
  const gone = linked.filter((identity) => !configured.some((provider) => provider.id === identity.provider));
  const all = [...configured, ...gone.map((identity) => ({ id: identity.provider, name: identity.provider }))];
  if (all.length === 0) return null;
  const link = (id: string) => attempt(id, () => goToProvider(id, 'link', '/account'));
  const unlink = (id: string) =>
    attempt(id, async () => {
      await oidcUnlink({ path: { provider_id: id }, throwOnError: true });
      say('The identity was unlinked');
      refreshAccount(client);
    });
  return (
    <SettingsSection id="identities" title="Identity providers" about="A linked provider signs you in to this account.">
      <SectionList label="Identity providers">
        {all.map((provider) => {
          const identity = linked.find((each) => each.provider === provider.id);
          return (
            <SectionRow
              key={provider.id}
              actions={
                identity ? (
                  <ConfirmButton
                    word="Unlink"
                    label={`Unlink ${provider.name}`}
                    title={`Unlink ${provider.name}`}
                    busy={busy === provider.id}
                    onConfirm={() => void unlink(provider.id)}
                  >
                    {provider.name} no longer signs you in.
                  </ConfirmButton>
                ) : (
                  <Button variant="default" loading={busy === provider.id} onClick={() => void link(provider.id)}>
                    Link
                  </Button>
                )
              }
            >
              <strong>{provider.name}</strong>
              <div className={`soft ${styles.small}`}>
                {identity ? (
                  <>
                    {identity.email ?? 'Linked'},{' '}
                    {identity.lastUsedAt ? (
                      <>
                        used <TimeAgo at={identity.lastUsedAt} />
                      </>
                    ) : (
                      'never used'
                    )}
                  </>
                ) : (
                  'Not linked'
                )}
              </div>
            </SectionRow>
          );
        })}
      </SectionList>
    </SettingsSection>
  );
}
