import { isWeb } from '@/lib/navigation/links';

/** What a sender says about an event, beside its title. */
export type Content = {
  title: string;
  body: string | null;
  url: string | null;
  metadata: unknown;
  /** The name of its source; a shown event has it. */
  sourceName?: string;
};
/** `isJoined`: the value is several values of the sender, so no filter finds it. */
export type Label = { name: string; value: string; isJoined?: boolean };
export type ContentLink = { label: string; href: string };
export type LabelChange = { name: string; before: string | null; after: string | null };

/** Deeper values and later labels stay in the raw event. */
const DEEPEST = 6;
const MOST = 500;

/** The groups that senders give to labels. Their names are left out; the order is that of the table. */
const GROUPS = ['labels', 'commonLabels', 'annotations', 'commonAnnotations'];

/** The metadata as a flat table: labels first, then annotations, then the rest with its path. */
export function labelsOf({ metadata }: Pick<Content, 'metadata'>): Label[] {
  const members = isRecord(metadata) ? metadata : {};
  const rest = Object.fromEntries(Object.entries(members).filter(([name]) => !GROUPS.includes(name)));
  const found: Label[] = [];
  for (const group of GROUPS) if (members[group] !== undefined) flatten(members[group], '', 0, found);
  flatten(rest, '', 0, found);
  const names = new Set<string>();
  return found.filter(({ name }) => !names.has(name) && names.add(name));
}

/** The labels that neither the text nor the links of the event show already. */
export function tableOf(content: Content): Label[] {
  const shown = new Set(linksOf(content, null).map(({ href }) => href));
  const said = content.body ?? '';
  return labelsOf(content).filter(
    ({ value }) => !shown.has(value) && value !== content.title && !(value.length > 20 && said.includes(value)),
  );
}

/** The runbook, the dashboard and the page of the sender. The runbook of the rule goes before that of the event. */
export function linksOf(content: Content, ruleRunbook: string | null): ContentLink[] {
  const labels = labelsOf(content).filter(({ value }) => isWeb(value));
  const named = (pattern: RegExp) => labels.find(({ name }) => pattern.test(name))?.value;
  const links = [
    { label: 'Runbook', href: ruleRunbook ?? named(/runbook/i) },
    {
      label: `View in ${content.sourceName ?? 'the sending tool'}`,
      href: content.url && isWeb(content.url) ? content.url : undefined,
    },
    { label: 'Dashboard', href: named(/dashboard/i) },
  ];
  const addresses = new Set<string>();
  return links.filter(
    (link): link is ContentLink => link.href !== undefined && !addresses.has(link.href) && !!addresses.add(link.href),
  );
}

/** Whether the event says more than its title. */
export function saysMore(content: Content): boolean {
  return Boolean(content.body) || tableOf(content).length > 0;
}

/** The labels that differ between two events of one alert. */
export function labelChanges(before: Content, after: Content): LabelChange[] {
  const [old, now] = [before, after].map((each) => new Map(labelsOf(each).map(({ name, value }) => [name, value])));
  const names = [...new Set([...now!.keys(), ...old!.keys()])];
  return names
    .map((name) => ({ name, before: old!.get(name) ?? null, after: now!.get(name) ?? null }))
    .filter((each) => each.before !== each.after);
}

function flatten(value: unknown, name: string, depth: number, found: Label[]): void {
  if (found.length >= MOST || value === null || value === undefined || value === '') return;
  if (typeof value === 'object' && depth < DEEPEST) {
    const isPlainList = Array.isArray(value) && value.every((each) => typeof each !== 'object');
    if (isPlainList) found.push({ name, value: value.join(', '), isJoined: true });
    else
      for (const [key, each] of Object.entries(value)) flatten(each, name ? `${name}.${key}` : key, depth + 1, found);
  } else found.push({ name, value: typeof value === 'string' ? value : JSON.stringify(value) });
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
