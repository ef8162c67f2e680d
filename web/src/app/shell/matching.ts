type Named = { label: string; about?: string };

/** What has all words of the text: first those whose label begins with it, then labels with it, then descriptions. */
export function matching<Item extends Named>(items: readonly Item[], text: string): Item[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const has = (found: string) => words.every((word) => found.toLowerCase().includes(word));
  const rank = ({ label, about }: Named) => {
    if (label.toLowerCase().startsWith(words[0] ?? '') && has(label)) return 0;
    if (has(label)) return 1;
    return has(`${label} ${about ?? ''}`) ? 2 : 3;
  };
  return items
    .map((item) => ({ item, rank: rank(item) }))
    .filter((each) => each.rank < 3)
    .sort((one, other) => one.rank - other.rank)
    .map((each) => each.item);
}
