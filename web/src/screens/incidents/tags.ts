/** The tags as they are now, with those that a person added to the earlier ones and without those that they removed. */
export function mergedTags(before: readonly string[], chosen: readonly string[], now: readonly string[]): string[] {
  const remaining = now.filter((each) => chosen.includes(each) || !before.includes(each));
  const added = chosen.filter((each) => !before.includes(each) && !now.includes(each));
  return [...remaining, ...added];
}
