import type { PageTargetShape, RouteRecord } from '@/api';
import { counted, listed } from '@/lib/words/words';

/** The most entries of `people` in a step, a rule or a request. */
export const MOST_TARGETS = 20;

/** The ids of schedules and members: a form holds them as one list. */
export function idsOf(targets: readonly PageTargetShape[] | undefined): string[] {
  return (targets ?? []).flatMap(({ scheduleId, userId }) => scheduleId ?? userId ?? []);
}

/** Schedules and members by their ids, as a write sends them. */
export function targetsOf(ids: readonly string[]): PageTargetShape[] {
  return ids.map((id) => (id.startsWith('sch_') ? { scheduleId: id } : { userId: id }) as PageTargetShape);
}

/** "2 people", "whoever is on call by 1 schedule", "1 person and whoever is on call by 2 schedules"; empty for nobody. */
export function countOf(targets: readonly PageTargetShape[] | undefined): string {
  const schedules = (targets ?? []).filter((each) => each.scheduleId).length;
  const people = (targets ?? []).length - schedules;
  return listed([
    ...(people > 0 ? [counted(people, 'person', 'people')] : []),
    ...(schedules > 0 ? [`whoever is on call by ${counted(schedules, 'schedule')}`] : []),
  ]);
}

/** Returns whether a default route notifies nobody. */
export function isNobody(route: Pick<RouteRecord, 'destinationIds' | 'people' | 'routingProfileId'>): boolean {
  return route.destinationIds.length === 0 && !route.people?.length && !route.routingProfileId;
}
