import { MultiSelect, Stack } from '@mantine/core';
import type { RuleRecord } from '@/api';
import type { Names } from '@/lib/configuration/names';
import { useWorkspace } from '@/lib/session/workspace';
import { WeeklyHours } from '@/parts/windows/WeeklyHours';
import type { RuleForm } from '@/screens/rules/draft';
import classes from '@/screens/rules/Rules.module.css';

type Window = NonNullable<RuleRecord['activeDuring']>['windows'][number];

/** Of which sources, and at which hours of the week. */
export function Narrowing({
  form,
  onChange,
  names,
}: {
  form: RuleForm;
  onChange: (form: RuleForm) => void;
  names: Names;
}) {
  const { workspace } = useWorkspace();
  const { activeDuring } = form;
  const setWindows = (windows: Window[]) =>
    onChange({ ...form, activeDuring: windows.length > 0 ? { ...activeDuring, windows } : null });
  return (
    <section className={classes.section} aria-label="Sources and hours">
      <Stack gap="sm">
        <MultiSelect
          label="Sources"
          data={names.sources}
          value={form.sourceIds}
          searchable
          placeholder={form.sourceIds.length ? undefined : 'All sources'}
          onChange={(ids) => onChange({ ...form, sourceIds: ids as RuleForm['sourceIds'] })}
          nothingFoundMessage="No source"
        />
        <WeeklyHours
          description={`Based on arrival time (${activeDuring?.timezone ?? workspace.timezone}).`}
          windows={activeDuring?.windows ?? []}
          onChange={setWindows}
        />
      </Stack>
    </section>
  );
}
