import type { LayerShape, ProblemRecord, ShiftRecord } from '@/api';
import { clock } from '@/lib/time/time';
import { counted, listed } from '@/lib/words/words';

const MOST_GAPS = 3;
/** The service lists so many gaps at most. */
const MOST_LISTED = 20;

type Named = { userId: string; name: string };

/** "Mia and Adam", with "you" for the person who reads; "Nobody" for a gap. */
export function peopleText(people: readonly Named[], ownId: string | null = null): string {
  if (people.length === 0) return 'Nobody';
  return listed(people.map((each) => (each.userId === ownId ? `${each.name} (you)` : each.name || 'A former member')));
}

export function periodText({ startsAt, endsAt }: Pick<ShiftRecord, 'startsAt' | 'endsAt'>, now = Date.now()): string {
  return `${clock(startsAt, now)} to ${clock(endsAt, now)}`;
}

/** The problems of a schedule as sentences, each once. After the first gaps, the others are counted. */
export function problemTexts(
  problems: readonly ProblemRecord[],
  layers: readonly LayerShape[],
  nameOf: (userId: string) => string,
): string[] {
  const gaps = problems.filter((each) => each.kind === 'gap');
  const more = gaps.length - MOST_GAPS;
  return [
    ...gaps.slice(0, MOST_GAPS).map(gapText),
    ...(more > 0 ? [`There ${more === 1 ? 'is' : 'are'} ${counted(more, 'more gap')} within 30 days.`] : []),
    ...new Set(
      problems
        .filter((each) => each.kind !== 'gap' && each.kind !== 'unreachable_member')
        .map((each) => otherText(each, layers, nameOf)),
    ),
    ...unreachableText(problems, nameOf),
  ];
}

/** One sentence for all people whom no page reaches: a new workspace has many. */
function unreachableText(problems: readonly ProblemRecord[], nameOf: (userId: string) => string): string[] {
  const names = problems.flatMap(({ kind, userId }) =>
    kind === 'unreachable_member' && userId ? [nameOf(userId)] : [],
  );
  if (names.length === 0) return [];
  return [`${listed(names)} ${names.length === 1 ? 'takes' : 'take'} turns, and no page reaches them.`];
}

/** "2 gaps", "20 or more gaps", "1 problem": for a list. */
export function problemSummary(problems: readonly ProblemRecord[]): string {
  const gaps = problems.filter((each) => each.kind === 'gap').length;
  if (gaps === 0) return counted(problems.length, 'problem');
  return gaps >= MOST_LISTED ? `${gaps} or more gaps` : counted(gaps, 'gap');
}

function gapText({ startsAt, endsAt }: ProblemRecord): string {
  if (!startsAt || !endsAt) return 'Nobody is on call.';
  return `Nobody is on call from ${periodText({ startsAt, endsAt })}.`;
}

function otherText(
  { kind, layerId, userId }: ProblemRecord,
  layers: readonly LayerShape[],
  nameOf: (userId: string) => string,
): string {
  const person = userId ? nameOf(userId) : 'A person';
  if (kind === 'single_member') return 'All turns have the same person.';
  if (kind === 'absent_member') return 'A person who left takes turns. Nobody is on call in these turns.';
  if (kind === 'twice_on_call') return `${person} is on call by two steps of a routing profile at the same time.`;
  if (kind === 'calendar_unreadable') return 'The calendar cannot be read. Its last good copy counts.';
  if (kind === 'calendar_unmatched') return 'Events of the calendar name somebody who is no member.';
  if (kind === 'slack_failing') return 'Slack does not show who is on call.';
  if (kind === 'unused') return 'No rule, routing profile or default route names this schedule.';
  const name = layers.find((each) => each.id === layerId)?.name;
  return `${name ? `The layer ${name}` : 'A layer'} has nobody within a year.`;
}
