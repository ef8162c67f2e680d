import type { LayerShape, ScheduleNewWritable, ScheduleRecord, SlackShape, Window } from '@/api';
import { isMoment, localOf, momentOf } from '@/lib/time/localTime';
import { chosenCycle, english } from '@/lib/time/time';
import { counted } from '@/lib/words/words';

export type LayerForm = {
  id: LayerShape['id'] | null;
  name: string;
  level: number | '';
  /** Null: the schedule's. */
  timezone: string | null;
  start: string;
  unit: LayerShape['unit'];
  every: number | '';
  members: string[][];
  windows: Window[];
  from: string;
  until: string;
  counts: NonNullable<LayerShape['counts']>;
};

export type ScheduleForm = {
  name: string;
  description: string;
  timezone: string;
  layers: LayerForm[];
  /** Whether it follows an external calendar; its layers rest meanwhile. */
  follows: boolean;
  /** The new address of the calendar; empty: the stored one. */
  calendarUrl: string;
  /** The host of the stored calendar; empty: there is none. */
  calendarHint: string;
  /** The destination that is told of handoffs. */
  noticeDestinationId: ScheduleRecord['noticeDestinationId'];
  slack: SlackShape | null;
};

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

/** A schedule of one layer, whose people take turns of a week from the last Monday at nine. */
export function newForm(timezone: string): ScheduleForm {
  const layers = [newLayer(timezone, 1)];
  return {
    name: '',
    description: '',
    timezone,
    layers,
    follows: false,
    calendarUrl: '',
    calendarHint: '',
    noticeDestinationId: null,
    slack: null,
  };
}

export function newLayer(timezone: string, level: number): LayerForm {
  // On a Monday before nine it is the one a week ago: a layer that begins later would begin with a gap.
  const nine = Date.parse(`${localOf(new Date(), timezone)}Z`) - 9 * HOUR;
  const monday = new Date(nine - ((new Date(nine).getUTCDay() + 6) % 7) * DAY);
  return {
    id: null,
    name: level === 1 ? 'Rotation' : `Rotation ${level}`,
    level,
    timezone: null,
    start: `${monday.toISOString().slice(0, 10)}T09:00`,
    unit: 'week',
    every: 1,
    members: [],
    windows: [],
    from: '',
    until: '',
    counts: 'all',
  };
}

export function formOf({
  name,
  description,
  timezone,
  layers,
  calendar,
  noticeDestinationId,
  slack,
}: ScheduleRecord): ScheduleForm {
  return {
    follows: calendar !== null,
    calendarUrl: '',
    calendarHint: calendar?.hint ?? '',
    name,
    description,
    timezone,
    noticeDestinationId,
    slack: slack && {
      destinationId: slack.destinationId,
      userGroupId: slack.userGroupId ?? null,
      setsTopic: slack.setsTopic ?? false,
    },
    layers: layers.map((layer) => ({
      id: layer.id ?? null,
      name: layer.name,
      level: layer.level ?? 1,
      timezone: layer.timezone ?? null,
      start: layer.start,
      unit: layer.unit,
      every: layer.every,
      members: layer.members,
      windows: layer.windows ?? [],
      from: layer.from ? localOf(new Date(layer.from)) : '',
      until: layer.until ? localOf(new Date(layer.until)) : '',
      counts: layer.counts ?? 'all',
    })),
  };
}

/** The fields as a write sends them. The form must be complete: `missing` says what is not. */
export function bodyOf(form: ScheduleForm): Omit<ScheduleNewWritable, 'workspaceId'> {
  const { name, description, timezone, noticeDestinationId, slack } = form;
  const told = { noticeDestinationId, slack };
  return { name: name.trim(), description: description.trim(), timezone, ...told, ...shiftsOf(form) };
}

/** The fields that decide who is on call. A schedule that follows a calendar keeps its stored layers. */
export function shiftsOf({ layers, follows, calendarUrl, calendarHint }: ScheduleForm) {
  if (follows) {
    const stored = layers.filter((each) => each.id !== null).map(layerOf);
    return { layers: stored, ...(calendarUrl === '' ? {} : { calendarUrl }) };
  }
  return { layers: layers.map(layerOf), ...(calendarHint === '' ? {} : { calendarUrl: null }) };
}

function layerOf({ id, name, level, every, members, from, until, ...same }: LayerForm): LayerShape {
  return {
    ...(id === null ? {} : { id }),
    ...same,
    name: name.trim(),
    level: Number(level),
    every: Number(every),
    members: members as LayerShape['members'],
    from: instant(from),
    until: instant(until),
  };
}

function instant(field: string): string | null {
  return field === '' ? null : momentOf(field).toISOString();
}

/** What the form lacks, in a sentence; empty when it can be saved. */
export function missing(form: ScheduleForm): string {
  return form.name.trim() === '' ? 'Enter a name.' : missingOfLayers(form);
}

/** What the layers lack; a preview needs no name of the schedule. */
export function missingOfLayers({ layers, follows, calendarUrl, calendarHint }: ScheduleForm): string {
  if (follows) return missingOfCalendar(calendarUrl, calendarHint);
  for (const layer of layers) {
    if (layer.name.trim() === '') return 'Name each layer.';
    if (layer.members.length === 0) return `Add people to ${layer.name.trim()}.`;
    if (layer.every === '' || layer.level === '') return `Complete the rotation of ${layer.name.trim()}.`;
    if (!isMoment(layer.start)) return `Choose the first handoff of ${layer.name.trim()}.`;
    if (layer.windows.some((each) => each.days.length === 0 || !each.start || !each.end))
      return `Choose days and times of each window of ${layer.name.trim()}.`;
  }
  return '';
}

function missingOfCalendar(url: string, hint: string): string {
  if (url === '') return hint === '' ? 'Enter the address of the calendar.' : '';
  return /^(https?|webcals?):\/\/[^/\s]+\/\S+$/i.test(url) ? '' : 'Enter the whole address of the calendar.';
}

type Rotation = Pick<LayerForm, 'unit' | 'every'> & Pick<LayerShape, 'start'>;

/** "every week on Monday at 09:00", on the clock of the layer. */
export function rotationText({ unit, every, start }: Rotation): string {
  const length = every === 1 ? `every ${unit}` : `every ${counted(Number(every), unit)}`;
  if (!isMoment(start)) return length;
  const format = (options: Intl.DateTimeFormatOptions) =>
    new Intl.DateTimeFormat(english(), { ...options, timeZone: 'UTC' }).format(Date.parse(`${start}Z`));
  const time = format({ hour: '2-digit', minute: '2-digit', ...chosenCycle() });
  if (unit === 'hour') return `${length}, counted from ${time}`;
  if (unit === 'week') return `${length} on ${format({ weekday: 'long' })} at ${time}`;
  if (unit === 'month') return `${length} on day ${format({ day: 'numeric' })} at ${time}`;
  return `${length} at ${time}`;
}

/** The list with one element at another place. */
export function moved<Each>(list: readonly Each[], from: number, to: number): Each[] {
  const rest = list.filter((_, place) => place !== from);
  return [...rest.slice(0, to), list[from]!, ...rest.slice(to)];
}

/** The names of the fields, for faults of the service: `layers.0.start`. */
export function fieldNames({ layers }: ScheduleForm): string[] {
  const ofLayer = [
    'name',
    'level',
    'timezone',
    'start',
    'unit',
    'every',
    'members',
    'windows',
    'from',
    'until',
    'counts',
  ];
  return [
    'name',
    'description',
    'timezone',
    'calendarUrl',
    'noticeDestinationId',
    'slack',
    'slack.destinationId',
    'slack.userGroupId',
    ...layers.flatMap((_, at) => ofLayer.map((name) => `layers.${at}.${name}`)),
  ];
}
