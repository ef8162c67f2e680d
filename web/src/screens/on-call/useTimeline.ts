import { useQuery } from '@tanstack/react-query';
import type { LayerShape, OverrideRecord, ScheduleRecord, ShiftRecord } from '@/api';
import { overridesListOptions, shiftsListOptions } from '@/api/@tanstack/react-query.gen';
import { iso, known, placeOf, type Range } from '@/screens/on-call/range';

/** The final shifts are read beyond the range, so that a shift at its edge has its real start and end. */
const BEYOND = 35 * 86_400_000;
const MOST_OVERRIDES = 200;

export type LayerLane = { layer: LayerShape; shifts: ShiftRecord[] };

/** The shifts of a range, the turns of each layer, and the overrides. */
export function useTimeline(schedule: ScheduleRecord, range: Range) {
  const path = { schedule_id: schedule.id };
  const [from, to] = [iso(range.from), iso(range.to)];
  const read = { startsAt: iso(range.from - BEYOND), endsAt: iso(range.to + BEYOND) };
  const final = useQuery(shiftsListOptions({ path, query: { from: read.startsAt, to: read.endsAt } }));
  const inRange = (final.data?.items ?? []).filter((each) => placeOf(each, range) !== null);
  const layers = [...schedule.layers].sort((a, b) => (b.level ?? 1) - (a.level ?? 1));
  const turns = useQuery(shiftsListOptions({ path, query: { from, to, layers: true } }));
  const turnsOf = (layer: LayerShape) => turns.data?.layers.find((each) => each.layerId === layer.id)?.items ?? [];
  const page = { limit: MOST_OVERRIDES, sort: 'startsAt' } as const;
  const coming = useQuery(overridesListOptions({ path, query: { ...page, order: 'asc' } }));
  const ended = useQuery(overridesListOptions({ path, query: { ...page, order: 'desc', ended: true } }));
  const overrides = [...(ended.data?.items ?? []), ...(coming.data?.items ?? [])];
  return {
    final,
    shifts: known(inRange, read, range),
    layers: layers.map((layer): LayerLane => ({ layer, shifts: turnsOf(layer) })),
    overrides: overrides.filter((each) => placeOf(each, range) !== null),
    coming: coming.data?.items ?? [],
  };
}

/** The reasons by which people are on call, in words: a layer, an override or a forwarding. */
export function originTexts(
  shift: ShiftRecord,
  schedule: ScheduleRecord,
  overrides: readonly OverrideRecord[],
): string {
  const texts = shift.people.map(({ origin }) => {
    if (origin.kind === 'layer') return schedule.layers.find((each) => each.id === origin.id)?.name ?? 'Former layer';
    if (origin.kind === 'forwarding') return 'Forwarding';
    const reason = overrides.find((each) => each.id === origin.id)?.reason;
    return reason ? `Override: ${reason}` : 'Override';
  });
  return [...new Set(texts)].join(', ');
}
