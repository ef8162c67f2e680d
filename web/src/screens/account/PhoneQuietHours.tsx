import { Stack } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { meEditPreferences, type PreferencesRecord, type UserRecord } from '@/api';
import { meReadPreferencesOptions, meReadPreferencesQueryKey } from '@/api/@tanstack/react-query.gen';
import { formFaults } from '@/lib/requests/problems';
import { queries } from '@/lib/requests/queries';
import { DraftButtons } from '@/parts/editor/DraftButtons';
import { SkeletonRows } from '@/parts/EmptyState';
import { FormSummary, ProblemAlert } from '@/parts/ProblemAlert';
import { SettingsSection } from '@/parts/SettingsSection';
import { say } from '@/parts/toast';
import { WeeklyHours } from '@/parts/windows/WeeklyHours';
import { ZoneSelect } from '@/parts/ZoneSelect';

type Hours = NonNullable<PreferencesRecord['phoneQuietHours']>;

/** When the phones of the person stay silent but for pages and critical incidents. */
export function PhoneQuietHours({ me }: { me: UserRecord }) {
  const saved = useQuery(meReadPreferencesOptions());
  return (
    <SettingsSection
      id="phone-quiet-hours"
      title="Quiet hours of your phones"
      about="Notifications below critical wait on the server until the end of these hours. Pages always come."
    >
      {saved.isPending && <SkeletonRows count={1} />}
      {saved.error && <ProblemAlert fault={saved.error} onRetry={() => saved.refetch()} />}
      {saved.data && <Form stored={saved.data.phoneQuietHours} zone={me.timezone} />}
    </SettingsSection>
  );
}

function Form({ stored, zone }: { stored: PreferencesRecord['phoneQuietHours']; zone: string }) {
  const [draft, setDraft] = useState<Hours | null>(null);
  const hours = draft ?? (stored?.enabled ? stored : { enabled: true, timezone: zone, windows: [] });
  const save = useMutation({
    mutationFn: async (next: Hours) =>
      (
        await meEditPreferences({
          body: { phoneQuietHours: next.windows.length > 0 ? next : null },
          throwOnError: true,
        })
      ).data,
    onSuccess: (data) => {
      queries.setQueryData(meReadPreferencesQueryKey(), data);
      setDraft(null);
      say('Quiet hours saved');
    },
  });
  const isComplete = hours.windows.every((each) => each.days.length > 0 && each.start && each.end);
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        save.mutate(hours);
      }}
    >
      <Stack gap="sm">
        <FormSummary faults={formFaults(save.error, []).rest} />
        <WeeklyHours
          label="Quiet hours"
          description={`By the clock of ${hours.timezone}.`}
          windows={hours.windows}
          onChange={(windows) => setDraft({ ...hours, windows })}
        />
        {hours.windows.length > 0 && (
          <ZoneSelect value={hours.timezone} onChange={(timezone) => setDraft({ ...hours, timezone })} />
        )}
        {draft && (
          <DraftButtons
            label="Save the quiet hours"
            isSaving={save.isPending}
            isComplete={isComplete}
            onDiscard={() => {
              setDraft(null);
              save.reset();
            }}
          />
        )}
      </Stack>
    </form>
  );
}
