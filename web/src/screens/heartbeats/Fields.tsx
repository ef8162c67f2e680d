import {
  Button,
  Checkbox,
  Group,
  NumberInput,
  SegmentedControl,
  Select,
  Stack,
  TagsInput,
  Text,
  TextInput,
} from '@mantine/core';
import { useNames } from '@/lib/configuration/names';
import { SEVERITIES, SEVERITY_WORD } from '@/lib/words/words';
import { ZoneSelect } from '@/parts/ZoneSelect';
import { countsPostOnly, type Draft, METHODS } from '@/screens/heartbeats/draft';
import classes from '@/screens/heartbeats/Heartbeats.module.css';
import { SpanField } from '@/screens/heartbeats/SpanField';
import { usePreview } from '@/screens/heartbeats/usePreview';

export type FieldsProps = {
  draft: Draft;
  onChange: (draft: Draft) => void;
  errors: Record<string, string>;
  /** The source of a stored monitor stays. */
  isStored: boolean;
};

const KINDS = [
  { value: 'cron', label: 'Cron expression' },
  { value: 'simple', label: 'Fixed period' },
];
const EXAMPLES: readonly [string, string][] = [
  ['Hourly', '0 * * * *'],
  ['Nightly', '0 3 * * *'],
  ['Workdays', '0 8 * * 1-5'],
  ['Mondays', '0 9 * * 1'],
  ['First of the month', '0 6 1 * *'],
];

/** The fields of a monitor: what it is, when it pings, and when it opens an incident. */
export function Fields({ draft, onChange, errors, isStored }: FieldsProps) {
  const { sources } = useNames();
  const set = (change: Partial<Draft>) => onChange({ ...draft, ...change });
  return (
    <Stack gap="md">
      <TextInput
        label="Name"
        description="The job, such as Nightly backup. Shown in its incidents."
        required
        maxLength={100}
        value={draft.name}
        onChange={(event) => set({ name: event.currentTarget.value })}
        error={errors.name}
        data-autofocus={isStored ? undefined : true}
      />
      <TextInput
        label="Slug"
        description="For pings with a ping key of the source, such as nightly-backup. Optional."
        maxLength={64}
        spellCheck={false}
        autoComplete="off"
        value={draft.slug}
        onChange={(event) => set({ slug: event.currentTarget.value })}
        error={errors.slug}
      />
      {!isStored && (
        <Select
          label="Source"
          description="Alerts are events of this source and are routed like its other events."
          required
          searchable
          allowDeselect={false}
          data={sources}
          value={draft.sourceId}
          onChange={(sourceId) => set({ sourceId })}
          error={errors.sourceId}
          nothingFoundMessage="No source"
        />
      )}
      <div>
        <Text size="sm" fw={500} mb={4} id="schedule-kind">
          Schedule
        </Text>
        <SegmentedControl
          aria-labelledby="schedule-kind"
          data={KINDS}
          value={draft.kind}
          onChange={(kind) => set({ kind: kind as Draft['kind'] })}
        />
      </div>
      {draft.kind === 'cron' ? (
        <Cron draft={draft} set={set} errors={errors} />
      ) : (
        <SpanField
          label="Period"
          description="A ping is expected this long after the last one."
          value={draft.period}
          onChange={(period) => set({ period })}
          error={errors['schedule.periodSeconds']}
        />
      )}
      <SpanField
        label="Grace"
        description="How long a ping may be overdue before the monitor is down."
        value={draft.grace}
        onChange={(grace) => set({ grace })}
        error={errors.graceSeconds}
      />
      <Incident draft={draft} set={set} errors={errors} />
    </Stack>
  );
}

type PartProps = { draft: Draft; set: (change: Partial<Draft>) => void; errors: Record<string, string> };

function Cron({ draft, set, errors }: PartProps) {
  const { preview, isReady } = usePreview(draft);
  const fault = isReady ? preview.data?.error?.detail : undefined;
  return (
    <>
      <div>
        <TextInput
          label="Cron expression"
          description="Minute, hour, day of month, month, day of week."
          required
          maxLength={100}
          spellCheck={false}
          autoComplete="off"
          classNames={{ input: classes.monoInput }}
          value={draft.expression}
          onChange={(event) => set({ expression: event.currentTarget.value })}
          error={errors['schedule.expression'] ?? fault}
        />
        <Group gap={6} mt={6}>
          {EXAMPLES.map(([label, expression]) => (
            <Button
              key={expression}
              size="compact-sm"
              variant="default"
              mih="var(--target)"
              onClick={() => set({ expression })}
            >
              {label}
            </Button>
          ))}
        </Group>
      </div>
      <ZoneSelect
        description="Sender’s time zone."
        value={draft.timezone}
        onChange={(timezone) => set({ timezone })}
        error={errors['schedule.timezone']}
      />
    </>
  );
}

function Incident({ draft, set, errors }: PartProps) {
  return (
    <>
      <Checkbox
        label="Limit the run time"
        description="For jobs that send a start ping. A run that takes longer opens an incident."
        checked={draft.maxRuntime !== null}
        onChange={(event) => set({ maxRuntime: event.currentTarget.checked ? { count: 2, unit: 'hours' } : null })}
      />
      {draft.maxRuntime && (
        <SpanField
          label="Maximum run time"
          value={draft.maxRuntime}
          onChange={(maxRuntime) => set({ maxRuntime })}
          error={errors.maxRuntimeSeconds}
        />
      )}
      <Checkbox
        label="Alert if the first ping never comes"
        description="When off, a new monitor waits for its first ping."
        checked={draft.neverSeen !== null}
        onChange={(event) => set({ neverSeen: event.currentTarget.checked ? { count: 1, unit: 'days' } : null })}
      />
      {draft.neverSeen && (
        <SpanField
          label="First ping within"
          value={draft.neverSeen}
          onChange={(neverSeen) => set({ neverSeen })}
          error={errors.alertIfNeverSeenAfterSeconds}
        />
      )}
      <Checkbox
        label="Count POST only"
        description="Other pings are logged. Use it where the address may be opened by a link preview or a scanner."
        checked={countsPostOnly(draft)}
        onChange={(event) => set({ methods: event.currentTarget.checked ? ['POST'] : METHODS })}
      />
      <NumberInput
        label="Failures before an incident"
        description="Consecutive failed or missed runs. One is right for most jobs."
        min={1}
        max={10}
        allowDecimal={false}
        classNames={{ wrapper: classes.shortNumber }}
        value={draft.failures}
        onChange={(failures) => set({ failures: failures === '' ? '' : Number(failures) })}
        error={errors.failuresBeforeIncident}
      />
      <Select
        label="Incident severity"
        data={SEVERITIES.map((value) => ({ value, label: SEVERITY_WORD[value] }))}
        allowDeselect={false}
        value={draft.severity}
        onChange={(severity) => severity && set({ severity })}
        error={errors.severity}
      />
      <TagsInput
        label="Tags"
        description="Added to its events. Use them in rules and searches."
        maxTags={20}
        value={draft.tags}
        onChange={(tags) => set({ tags })}
        error={errors.tags}
      />
    </>
  );
}
