import { describe, expect, it } from 'vitest';
import { mergedTags } from '@/screens/incidents/tags';

describe('tags that two people change', () => {
  it('contain additions of both, and no tag that either removed', () => {
    expect(mergedTags(['a', 'b'], ['a', 'b', 'mine'], ['a', 'b', 'theirs'])).toEqual(['a', 'b', 'theirs', 'mine']);
    expect(mergedTags(['a', 'b'], ['b'], ['a', 'b', 'theirs'])).toEqual(['b', 'theirs']);
    expect(mergedTags(['a', 'b'], ['a', 'b', 'mine'], ['a'])).toEqual(['a', 'mine']);
    expect(mergedTags([], ['same'], ['same'])).toEqual(['same']);
  });
});
