import { MultiSelect, Text } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { meEditPreferences, type UserRecord } from '@/api';
import { infoReadOptions, meReadPreferencesOptions, meReadPreferencesQueryKey } from '@/api/@tanstack/react-query.gen';
import { queries } from '@/lib/requests/queries';
import { SkeletonRows } from '@/parts/EmptyState';
import { ProblemAlert } from '@/parts/ProblemAlert';
import { SettingsSection } from '@/parts/SettingsSection';
import { sayFault } from '@/parts/toast';
import { leadChoices, MOST_LEADS, ordered } from '@/screens/account/leadTimes';

/** How long before a shift the person is mailed. Each choice applies at once. */
export function ShiftMails({ me }: { me: UserRecord }) {
  const saved = useQuery(meReadPreferencesOptions());
  const info = useQuery(infoReadOptions());
  const save = useMutation({
    mutationFn: async (shiftNoticeMinutes: number[]) =>
      (await meEditPreferences({ body: { shiftNoticeMinutes }, throwOnError: true })).data,
    onSuccess: (data) => queries.setQueryData(meReadPreferencesQueryKey(), data),
    onError: sayFault,
  });
  const chosen = save.isPending ? save.variables : (saved.data?.shiftNoticeMinutes ?? []);
  const sendsMail = info.data?.capabilities.includes('mail') ?? true;
  return (
    <SettingsSection id="shifts" title="Shift reminders" about={`Mails to ${me.email} before you are on call.`}>
      {saved.isPending && <SkeletonRows count={1} />}
      {saved.error && <ProblemAlert fault={saved.error} onRetry={() => saved.refetch()} />}
      {saved.data && (
        <MultiSelect
          label="Mail me"
          description={`Up to ${MOST_LEADS} times. Without one, no shift is mailed.`}
          placeholder={chosen.length === 0 ? 'Never' : undefined}
          maxValues={MOST_LEADS}
          data={leadChoices(chosen)}
          value={ordered(chosen).map(String)}
          onChange={(values) => save.mutate(ordered(values.map(Number)))}
        />
      )}
      {!sendsMail && (
        <Text size="sm" className="soft">
          This instance does not send mail, so no shift is mailed.
        </Text>
      )}
    </SettingsSection>
  );
}
