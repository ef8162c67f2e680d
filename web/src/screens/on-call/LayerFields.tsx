import { Button, Group, NumberInput, Select, Stack, Text, TextInput } from '@mantine/core';
import { ChevronDown, ChevronUp, Trash2 } from 'lucide-react';
import { useState } from 'react';
import type { Window } from '@/api';
import { WeeklyHours } from '@/parts/windows/WeeklyHours';
import { type LayerForm, rotationText } from '@/screens/on-call/draft';
import classes from '@/screens/on-call/Editor.module.css';
import { MoreOptions } from '@/screens/on-call/MoreOptions';
import { Turns } from '@/screens/on-call/Turns';

const WORK: Window = { days: ['mon', 'tue', 'wed', 'thu', 'fri'], start: '09:00', end: '17:00' };
const UNITS = [
  { value: 'hour', label: 'hours' },
  { value: 'day', label: 'days' },
  { value: 'week', label: 'weeks' },
  { value: 'month', label: 'months' },
];

export type LayerProps = {
  layer: LayerForm;
  number: number;
  /** The zone of the schedule. */
  timezone: string;
  faultOf: (name: string) => string | undefined;
  onChange: (layer: LayerForm) => void;
  /** Missing for the only layer. */
  onRemove?: () => void;
};

/** One layer: who takes turns, how long a turn is, and when the layer is active. */
export function LayerFields(props: LayerProps) {
  const { layer, number, timezone, faultOf, onChange, onRemove } = props;
  const [isOpen, setOpen] = useState(false);
  const set = (part: Partial<LayerForm>) => onChange({ ...layer, ...part });
  const zone = layer.timezone ?? timezone;
  return (
    <section className={classes.layer} aria-label={`Layer ${number}`}>
      <Stack gap="sm">
        <Group gap="xs" align="flex-end" wrap="nowrap">
          <TextInput
            label="Layer"
            required
            flex={1}
            maxLength={100}
            value={layer.name}
            onChange={(event) => set({ name: event.currentTarget.value })}
            error={faultOf('name')}
          />
          {onRemove && <Level layer={layer} set={set} faultOf={faultOf} />}
          {onRemove && (
            <Button
              variant="default"
              px={8}
              mih="var(--target)"
              aria-label={`Remove the layer ${layer.name}`}
              onClick={onRemove}
            >
              <Trash2 size={16} aria-hidden />
            </Button>
          )}
        </Group>
        <Turns turns={layer.members} onChange={(members) => set({ members })} fault={faultOf('members')} />
        <Rotation layer={layer} set={set} faultOf={faultOf} />
        <Text size="sm" className="soft">
          Hands off {rotationText(layer)} ({zone}).
        </Text>
        <WeeklyHours
          description={`By the clock of ${zone}. Without it, the layer is always active.`}
          windows={layer.windows}
          onChange={(windows) => set({ windows })}
          first={WORK}
        />
        <Button
          variant="subtle"
          color="gray"
          className={classes.more}
          mih="var(--target)"
          aria-expanded={isOpen}
          rightSection={isOpen ? <ChevronUp size={15} aria-hidden /> : <ChevronDown size={15} aria-hidden />}
          onClick={() => setOpen(!isOpen)}
        >
          More options
        </Button>
        {isOpen && <MoreOptions layer={layer} timezone={timezone} set={set} faultOf={faultOf} />}
      </Stack>
    </section>
  );
}

type PartProps = Pick<LayerProps, 'layer' | 'faultOf'> & { set: (part: Partial<LayerForm>) => void };

/** Of several layers, the level says which of them is on call. */
function Level({ layer, set, faultOf }: PartProps) {
  return (
    <NumberInput
      label="Level"
      w={80}
      min={1}
      max={20}
      allowDecimal={false}
      value={layer.level}
      onChange={(level) => set({ level: level === '' ? '' : Number(level) })}
      error={faultOf('level')}
    />
  );
}

function Rotation({ layer, set, faultOf }: PartProps) {
  return (
    <Group gap="xs" align="flex-start">
      <NumberInput
        label="Turns of"
        w={90}
        min={1}
        max={366}
        allowDecimal={false}
        value={layer.every}
        onChange={(every) => set({ every: every === '' ? '' : Number(every) })}
        error={faultOf('every')}
      />
      <Select
        label="Unit"
        w={120}
        allowDeselect={false}
        data={UNITS}
        value={layer.unit}
        onChange={(unit) => unit && set({ unit: unit as LayerForm['unit'] })}
        error={faultOf('unit')}
      />
      <TextInput
        label="First handoff"
        type="datetime-local"
        value={layer.start}
        onChange={(event) => set({ start: event.currentTarget.value.slice(0, 16) })}
        error={faultOf('start')}
      />
    </Group>
  );
}
