import {
  Group,
  MultiSelect,
  NumberInput,
  Radio,
  Select,
  Stack,
  Switch,
  TagsInput,
  Text,
  TextInput,
} from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ThenShape } from '@/api';
import { rulesVocabularyOptions } from '@/api/@tanstack/react-query.gen';
import type { Names } from '@/lib/configuration/names';
import { RESOLVE_WHEN } from '@/lib/configuration/resolveWhen';
import { DISPOSITIONS } from '@/lib/configuration/ruleWords';
import { SEVERITIES, SEVERITY_WORD } from '@/lib/words/words';
import { PageSelect } from '@/parts/PageSelect';
import styles from '@/parts/styles.module.css';
import type { RuleForm } from '@/screens/rules/draft';
import classes from '@/screens/rules/Rules.module.css';

type Props = { form: RuleForm; onChange: (form: RuleForm) => void; names: Names };

/** What is done with the events that match. Fields without effect for the chosen disposition are not shown. */
export function Actions({ form, onChange, names }: Props) {
  const { then } = form;
  const set = (change: Partial<ThenShape>) => onChange({ ...form, then: { ...then, ...change } });
  const disposition = then.disposition ?? '';
  const opens = form.continue || disposition === 'incident';
  const reaches = opens || disposition === 'notify';
  return (
    <section className={classes.section} aria-labelledby="actions">
      <Stack gap="sm">
        <Text component="h2" id="actions" fw={600} size="sm" m={0}>
          Action
        </Text>
        <Switch
          label="Keep evaluating later rules"
          description="Tags and destinations of all matching rules are combined."
          checked={form.continue}
          onChange={(event) =>
            onChange({
              ...form,
              continue: event.currentTarget.checked,
              then: event.currentTarget.checked || then.disposition ? then : { ...then, disposition: 'incident' },
            })
          }
        />
        <Radio.Group
          aria-label="What happens to the event"
          value={disposition}
          onChange={(value) => set({ disposition: (value || null) as ThenShape['disposition'] })}
        >
          <Stack gap={4}>
            {DISPOSITIONS.filter((each) => each.value !== '' || form.continue).map((each) => (
              <Radio
                key={each.value}
                value={each.value}
                label={each.label}
                description={each.about}
                classNames={{ body: styles.target }}
              />
            ))}
          </Stack>
        </Radio.Group>
        {reaches && (
          <Recipients then={then} names={names} mayEscalate={disposition !== 'notify' || form.continue} set={set} />
        )}
        <Select
          label="Severity"
          data={SEVERITIES.map((each) => ({ value: each, label: SEVERITY_WORD[each] }))}
          value={then.severity ?? null}
          clearable
          placeholder="Keep original"
          onChange={(severity) => set({ severity: severity })}
        />
        {opens && <Opening form={form} onChange={onChange} set={set} />}
      </Stack>
    </section>
  );
}

type RecipientsProps = {
  then: ThenShape;
  names: Names;
  /** Whether a profile has an effect. */
  mayEscalate: boolean;
  set: (part: Partial<ThenShape>) => void;
};

/** Who is paged and notified. */
function Recipients({ then, names, mayEscalate, set }: RecipientsProps) {
  return (
    <>
      <PageSelect
        label="Page"
        description="Paged immediately by their own notification rules. Of a schedule, whoever is on call."
        value={then.people}
        onChange={(people) => set({ people })}
      />
      <MultiSelect
        label="Notify"
        description="Notified immediately. Leave empty to use the recipients of the next match, profile or default route."
        data={names.destinations}
        value={then.destinationIds ?? []}
        searchable
        placeholder={then.destinationIds?.length ? undefined : 'Destinations'}
        onChange={(ids) => set({ destinationIds: ids as ThenShape['destinationIds'] })}
        nothingFoundMessage="No destination"
      />
      {mayEscalate ? (
        <Select
          label="Routing profile"
          data={names.profiles}
          value={then.routingProfileId ?? null}
          clearable
          placeholder="None"
          onChange={(id) => set({ routingProfileId: id })}
          nothingFoundMessage="No profile"
          searchable
        />
      ) : null}
    </>
  );
}

function Opening({
  form,
  onChange,
  set,
}: {
  form: RuleForm;
  onChange: (form: RuleForm) => void;
  set: (change: Partial<ThenShape>) => void;
}) {
  const vocabulary = useQuery({ ...rulesVocabularyOptions(), staleTime: Infinity });
  const { then } = form;
  return (
    <>
      <TagsInput
        label="Add tags"
        value={then.addTags ?? []}
        onChange={(addTags) => set({ addTags })}
        maxTags={20}
        placeholder={then.addTags?.length ? undefined : 'Tag, then Enter'}
      />
      <TagsInput
        label="Group by"
        description="Events with the same values form one incident. Metadata fields are allowed, such as metadata.team."
        data={vocabulary.data?.groupBy ?? []}
        value={then.groupBy ?? []}
        onChange={(groupBy) => set({ groupBy })}
        maxTags={10}
        placeholder={then.groupBy?.length ? undefined : 'Source default'}
      />
      {then.groupBy && then.groupBy.length > 0 && (
        <Select
          label="Resolve the incident when"
          description="Each dedup key of the sender is an alert of the incident."
          data={RESOLVE_WHEN}
          allowDeselect={false}
          value={then.resolveWhen ?? 'all'}
          onChange={(resolveWhen) => set({ resolveWhen: resolveWhen ?? 'all' })}
        />
      )}
      <NumberInput
        label="Start snoozed"
        suffix=" min"
        min={1}
        max={43_200}
        allowDecimal={false}
        value={then.snoozeMinutes ?? ''}
        placeholder="No"
        onChange={(value) => set({ snoozeMinutes: typeof value === 'number' ? value : null })}
      />
      {then.disposition === 'incident' && (
        <TextInput
          label="Runbook link"
          description="In messages about these incidents, instead of the link of the event."
          placeholder="https://wiki.example.org/runbooks/disk-full"
          maxLength={2048}
          value={then.runbookUrl ?? ''}
          onChange={(event) => set({ runbookUrl: event.currentTarget.value || null })}
        />
      )}
      {then.disposition === 'incident' && <OpenAfter form={form} onChange={onChange} />}
    </>
  );
}

function OpenAfter({ form, onChange }: { form: RuleForm; onChange: (form: RuleForm) => void }) {
  const { openAfter } = form;
  return (
    <div>
      <Switch
        label="Open only after several events"
        checked={openAfter !== null}
        classNames={{ body: classes.targetLine }}
        onChange={(event) =>
          onChange({ ...form, openAfter: event.currentTarget.checked ? { count: 3, withinMinutes: 10 } : null })
        }
      />
      {openAfter && (
        <Group gap="xs" mt={4} grow>
          <NumberInput
            label="Events"
            min={2}
            max={100}
            allowDecimal={false}
            value={openAfter.count}
            onChange={(count) => onChange({ ...form, openAfter: { ...openAfter, count: Number(count) || 2 } })}
          />
          <NumberInput
            label="Within"
            suffix=" min"
            min={1}
            max={1440}
            allowDecimal={false}
            value={openAfter.withinMinutes}
            onChange={(minutes) =>
              onChange({ ...form, openAfter: { ...openAfter, withinMinutes: Number(minutes) || 1 } })
            }
          />
        </Group>
      )}
    </div>
  );
}
