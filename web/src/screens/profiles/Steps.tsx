import { ActionIcon, Button, MultiSelect, NumberInput, Select, Stack, Text } from '@mantine/core';
import { Plus, Trash2 } from 'lucide-react';
import type { StepShape } from '@/api';
import type { Names } from '@/lib/configuration/names';
import { SEVERITIES, SEVERITY_WORD } from '@/lib/words/words';
import { PageSelect } from '@/parts/PageSelect';
import styles from '@/parts/styles.module.css';
import type { ProfileForm } from '@/screens/profiles/draft';
import classes from '@/screens/profiles/Profiles.module.css';

type Props = { form: ProfileForm; onChange: (form: ProfileForm) => void; names: Names };

/** Who is notified after how long; the server keeps the steps in the order of their times. */
export function Steps({ form, onChange, names }: Props) {
  const { steps } = form;
  const set = (next: StepShape[]) => onChange({ ...form, steps: next });
  const add = () =>
    set([
      ...steps,
      { afterMinutes: Math.min((steps.at(-1)?.afterMinutes ?? 0) + 10, 10_080), minSeverity: null, destinationIds: [] },
    ]);
  return (
    <section aria-labelledby="steps">
      <h2 id="steps" className={classes.heading}>
        Steps
      </h2>
      <Text size="sm" className="soft" mb="xs">
        They stop while the incident is acknowledged, snoozed or silenced. People are paged by their own notification
        rules; of a schedule, whoever is on call then.
      </Text>
      <Stack gap="xs">
        {steps.map((step, index) => (
          <Step
            key={index}
            index={index}
            step={step}
            names={names}
            isOnly={steps.length === 1}
            onChange={(next) => set(steps.map((each, at) => (at === index ? next : each)))}
            onRemove={() => set(steps.filter((_, at) => at !== index))}
          />
        ))}
        {steps.length < 10 && (
          <Button
            variant="default"
            leftSection={<Plus size={15} aria-hidden />}
            className={styles.start}
            mih="var(--target)"
            onClick={add}
          >
            Add a step
          </Button>
        )}
      </Stack>
    </section>
  );
}

type StepProps = {
  index: number;
  step: StepShape;
  names: Names;
  isOnly: boolean;
  onChange: (step: StepShape) => void;
  onRemove: () => void;
};

function Step({ index, step, names, isOnly, onChange, onRemove }: StepProps) {
  const nth = `of step ${index + 1}`;
  return (
    <fieldset className={classes.step}>
      <legend className="only-for-readers">Step {index + 1}</legend>
      <span className={`${classes.number} numbers`} aria-hidden>
        {index + 1}
      </span>
      <NumberInput
        aria-label={`Minutes ${nth}`}
        prefix="after "
        suffix=" min"
        min={0}
        max={10_080}
        allowDecimal={false}
        className={classes.when}
        value={step.afterMinutes}
        onChange={(value) => onChange({ ...step, afterMinutes: Number(value) || 0 })}
      />
      <Stack gap={6} className={classes.who}>
        <PageSelect
          aria-label={`People ${nth}`}
          value={step.people}
          classNames={{ inputField: classes.valuesInput }}
          onChange={(people) => onChange({ ...step, people })}
        />
        <MultiSelect
          aria-label={`Destinations ${nth}`}
          data={names.destinations}
          value={step.destinationIds}
          searchable
          classNames={{ inputField: classes.valuesInput }}
          placeholder={step.destinationIds.length ? undefined : 'Destinations'}
          onChange={(ids) => onChange({ ...step, destinationIds: ids as StepShape['destinationIds'] })}
          nothingFoundMessage="No destination"
        />
      </Stack>
      <Select
        aria-label={`Minimum severity ${nth}`}
        data={SEVERITIES.map((each) => ({ value: each, label: `From ${SEVERITY_WORD[each].toLowerCase()}` }))}
        value={step.minSeverity ?? null}
        clearable
        placeholder="Any severity"
        className={classes.severity}
        onChange={(severity) => onChange({ ...step, minSeverity: severity })}
      />
      <ActionIcon aria-label={`Remove step ${index + 1}`} disabled={isOnly} onClick={onRemove}>
        <Trash2 size={16} aria-hidden />
      </ActionIcon>
    </fieldset>
  );
}
