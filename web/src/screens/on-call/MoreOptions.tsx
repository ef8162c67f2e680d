import { Select, Stack, Switch, TextInput } from '@mantine/core';
import { ZoneSelect } from '@/parts/ZoneSelect';
import type { LayerForm } from '@/screens/on-call/draft';

type Props = {
  layer: LayerForm;
  timezone: string;
  set: (part: Partial<LayerForm>) => void;
  faultOf: (name: string) => string | undefined;
};

const COUNTS = [
  { value: 'all', label: 'Every turn' },
  { value: 'covered', label: 'Only turns with hours of the layer' },
];

/** The fields of a layer that few schedules need. */
export function MoreOptions({ layer, timezone, set, faultOf }: Props) {
  return (
    <Stack gap="sm">
      <Switch
        label="Own time zone"
        description={`Otherwise ${timezone}, as the schedule.`}
        checked={layer.timezone !== null}
        onChange={(event) => set({ timezone: event.currentTarget.checked ? timezone : null })}
      />
      {layer.timezone !== null && (
        <ZoneSelect
          label="Time zone of the layer"
          value={layer.timezone}
          onChange={(zone) => set({ timezone: zone })}
          error={faultOf('timezone')}
        />
      )}
      <TextInput
        label="Active from"
        description="Optional. Before it, the layer has nobody."
        type="datetime-local"
        value={layer.from}
        onChange={(event) => set({ from: event.currentTarget.value })}
        error={faultOf('from')}
      />
      <TextInput
        label="Active until"
        description="Optional. After it, the layer has nobody."
        type="datetime-local"
        value={layer.until}
        onChange={(event) => set({ until: event.currentTarget.value })}
        error={faultOf('until')}
      />
      <Select
        label="The rotation moves on with"
        allowDeselect={false}
        data={COUNTS}
        disabled={layer.unit !== 'day' || layer.windows.length === 0}
        description="For turns of days with certain hours."
        value={layer.counts}
        onChange={(counts) => counts && set({ counts: counts as LayerForm['counts'] })}
        error={faultOf('counts')}
      />
    </Stack>
  );
}
