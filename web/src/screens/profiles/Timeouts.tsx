import { NumberInput, Select, SimpleGrid, Switch } from '@mantine/core';
import type { Names, Choice } from '@/lib/configuration/names';
import { valuesOf } from '@/lib/configuration/workspaceSettings';
import { useWorkspace } from '@/lib/session/workspace';
import { SEVERITY_WORD } from '@/lib/words/words';
import type { ProfileForm } from '@/screens/profiles/draft';
import { inherited } from '@/screens/profiles/inherited';
import classes from '@/screens/profiles/Profiles.module.css';

type Props = { form: ProfileForm; onChange: (form: ProfileForm) => void; names: Names };
type Inherited = 'renotifyMax' | 'ackTimeoutMinutes' | 'autoResolveMinutes' | 'reopenWindowMinutes';

const INHERITED: readonly [Inherited, string, string, number][] = [
  ['renotifyMax', 'Max reminders', '', 100],
  ['ackTimeoutMinutes', 'Unacknowledge after', 'min', 43_200],
  ['autoResolveMinutes', 'Auto-resolve after no events for', 'min', 43_200],
  ['reopenWindowMinutes', 'Reopen within', 'min', 10_080],
];

/** Delay, rounds, reminders and timeouts. An empty field has the value of the workspace. */
export function Timeouts({ form, onChange, names }: Props) {
  const { workspace } = useWorkspace();
  const { settings } = valuesOf(workspace);
  const { renotifyMinutes } = form;
  const fallback = names.destinations.find((each) => each.value === settings.fallbackDestinationId);
  const remind = (severity: 'CRITICAL' | 'ERROR' | 'WARNING', value: string | number) => {
    const { [severity]: _, ...rest } = renotifyMinutes ?? {};
    const next = typeof value === 'number' ? { ...rest, [severity]: value } : rest;
    onChange({ ...form, renotifyMinutes: Object.keys(next).length > 0 ? next : null });
  };
  return (
    <section aria-labelledby="timeouts">
      <h2 id="timeouts" className={classes.heading}>
        Delay, reminders and timeouts
      </h2>
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
        <NumberInput
          label="Delay"
          description="An incident that ends within this time notifies nobody."
          suffix=" s"
          min={0}
          max={86_400}
          allowDecimal={false}
          value={form.delaySeconds}
          onChange={(value) => onChange({ ...form, delaySeconds: Number(value) || 0 })}
        />
        <NumberInput
          label="Repeat the steps"
          description="How many more times the steps run."
          min={0}
          max={5}
          allowDecimal={false}
          value={form.repeat}
          onChange={(value) => onChange({ ...form, repeat: Number(value) || 0 })}
        />
        {(['CRITICAL', 'ERROR', 'WARNING'] as const).map((severity) => (
          <NumberInput
            key={severity}
            label={`Remind every (${SEVERITY_WORD[severity].toLowerCase()})`}
            suffix=" min"
            min={0}
            max={10_080}
            allowDecimal={false}
            placeholder={inherited(settings.renotifyMinutes[severity], 'min')}
            value={renotifyMinutes?.[severity] ?? ''}
            onChange={(value) => remind(severity, value)}
          />
        ))}
        {INHERITED.map(([name, label, suffix, most]) => (
          <NumberInput
            key={name}
            label={label}
            suffix={suffix && ` ${suffix}`}
            min={0}
            max={most}
            allowDecimal={false}
            placeholder={inherited(settings[name], suffix)}
            value={form[name] ?? ''}
            onChange={(value) => onChange({ ...form, [name]: typeof value === 'number' ? value : null })}
          />
        ))}
        <Fallback names={names} form={form} fallback={fallback} onChange={onChange} />
      </SimpleGrid>
      <Switch
        mt="sm"
        label="Ignore quiet hours"
        description="Sends its notifications even during quiet hours."
        checked={form.quietHours === 'ignore'}
        onChange={(event) => onChange({ ...form, quietHours: event.currentTarget.checked ? 'ignore' : 'inherit' })}
      />
    </section>
  );
}

type FallbackProps = {
  names: Props['names'];
  form: Props['form'];
  fallback: Choice | undefined;
  onChange: Props['onChange'];
};

function Fallback({ names, form, fallback, onChange }: FallbackProps) {
  return (
    <Select
      label="Fallback"
      description="Notified when no other destination could be."
      data={names.destinations}
      value={form.fallbackDestinationId ?? null}
      clearable
      placeholder={`Workspace default: ${fallback?.label ?? 'none'}`}
      onChange={(id) => onChange({ ...form, fallbackDestinationId: id })}
    />
  );
}
