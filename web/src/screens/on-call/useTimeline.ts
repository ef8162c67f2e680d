import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { LayerShape, OverrideRecord, ScheduleRecord, ShiftRecord } from '@/api';
import { onCallLogListOptions, overridesListOptions, shiftsListOptions } from '@/api/@tanstack/react-query.gen';
import { valuesOf } from '@/lib/configuration/workspaceSettings';
import { useWorkspace } from '@/lib/session/workspace';
import { type ShownShift, withPast } from '@/screens/on-call/past';
import { iso, known, type Period, placeOf, type Range } from '@/screens/on-call/range';

const DAY = 86_400_000;
/** The final shifts are read beyond the range, so that a shift at its edge has its real start and end. */
const BEYOND = 35 * DAY;
const MOST_OVERRIDES = 200;

export type LayerLane = { layer: LayerShape; shifts: ShiftRecord[] };

/** The shifts of a range, the turns of each layer, and the overrides. */
export function useTimeline(schedule: ScheduleRecord, range: Range) {
  const path = { schedule_id: schedule.id };
  const [from, to] = [iso(range.from), iso(range.to)];
  const read = { startsAt: iso(range.from - BEYOND), endsAt: iso(range.to + BEYOND) };
  const final = useQuery(shiftsListOptions({ path, query: { from: read.startsAt, to: read.endsAt } }));
  const log = useLog(schedule, read);
  const computed = final.data?.items ?? [];
  const withLog = log ? withPast(computed, log.items, log) : computed;
  const inRange = withLog.filter((each) => placeOf(each, range) !== null);
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

/** Who really was on call, as far as the log goes back; null while nothing of the period is past. */
function useLog(schedule: ScheduleRecord, { startsAt, endsAt }: Period) {
  const { workspace } = useWorkspace();
  const [opened] = useState(() => Date.now());
  const kept = opened - (valuesOf(workspace).settings.retention.incidentDays - 1) * DAY;
  const from = Math.max(Date.parse(startsAt), kept);
  const query = useQuery({
    ...onCallLogListOptions({ path: { schedule_id: schedule.id }, query: { from: iso(from), to: endsAt } }),
    enabled: from < Math.min(opened, Date.parse(endsAt)),
  });
  return query.data ? { items: query.data.items, from, until: query.dataUpdatedAt } : null;
}

/** The reasons by which people are on call, in words: a layer, an override or a forwarding. */
export function originTexts(shift: ShownShift, schedule: ScheduleRecord, overrides: readonly OverrideRecord[]): string {
  const texts = shift.people.map(({ origin }) => {
    if (origin === null) return 'Log';
    if (origin.kind === 'layer') return schedule.layers.find((each) => each.id === origin.id)?.name ?? 'Former layer';
    if (origin.kind === 'forwarding') return 'Forwarding';
    if (origin.kind === 'calendar') return 'Calendar';
    const reason = overrides.find((each) => each.id === origin.id)?.reason;
    return reason ? `Override: ${reason}` : 'Override';
  });
  return [...new Set(texts)].join(', ');
}
