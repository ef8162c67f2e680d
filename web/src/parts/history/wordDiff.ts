export type Piece = { kind: 'same' | 'removed' | 'added'; text: string };

/** The words that were removed from one text and added in another, by their longest common subsequence. */
export function wordDiff(before: string, after: string): Piece[] {
  const [old, fresh] = [wordsOf(before), wordsOf(after)];
  const common = commonLengths(old, fresh);
  const pieces: Piece[] = [];
  const add = (kind: Piece['kind'], text: string) => {
    const last = pieces.at(-1);
    if (last?.kind === kind) last.text += text;
    else pieces.push({ kind, text });
  };
  let [i, j] = [0, 0];
  while (i < old.length || j < fresh.length) {
    if (i < old.length && old[i] === fresh[j]) {
      add('same', old[i]!);
      i += 1;
      j += 1;
    } else if (j >= fresh.length || (i < old.length && common[i + 1]![j]! >= common[i]![j + 1]!)) {
      add('removed', old[i]!);
      i += 1;
    } else {
      add('added', fresh[j]!);
      j += 1;
    }
  }
  return pieces;
}

/** Words with the spaces that follow them. */
function wordsOf(text: string): string[] {
  return text.match(/\S+\s*/g) ?? [];
}

function commonLengths(old: string[], fresh: string[]): number[][] {
  const table = Array.from({ length: old.length + 1 }, () => new Array<number>(fresh.length + 1).fill(0));
  for (let i = old.length - 1; i >= 0; i -= 1) {
    for (let j = fresh.length - 1; j >= 0; j -= 1) {
      table[i]![j] = old[i] === fresh[j] ? table[i + 1]![j + 1]! + 1 : Math.max(table[i + 1]![j]!, table[i]![j + 1]!);
    }
  }
  return table;
}
