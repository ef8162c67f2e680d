import type { SimilarIncident } from '@/api';

export type Group = { newest: SimilarIncident; count: number };

/** Similar incidents by their title: the same alert first, then in the order of the newest one. A note is that of the newest with one. */
export function grouped(items: readonly SimilarIncident[], title: string): Group[] {
  const groups = new Map<string, Group>();
  for (const each of items) {
    const group = groups.get(each.incident.title);
    if (!group) groups.set(each.incident.title, { newest: each, count: 1 });
    else {
      group.count += 1;
      group.newest = { ...group.newest, lastNote: group.newest.lastNote ?? each.lastNote };
    }
  }
  return [...groups.values()].sort((a, b) => Number(isOf(b, title)) - Number(isOf(a, title)));
}

function isOf({ newest }: Group, title: string): boolean {
  return newest.incident.title === title;
}
