import { describe, expect, it } from 'vitest';
import type { SourceMapping } from '@/api';
import { draftOf, mappingOf, picked } from '@/screens/sources/mapping/draft';

const MAPPING: SourceMapping = {
  items: 'alerts[*]',
  timeMeaning: 'moment',
  title: { template: '{name}', default: 'Alarm' },
  severity: { template: '{level}', table: { page: 'CRITICAL' }, default: 'WARNING' },
  action: { template: '{state}', table: { ok: 'resolve' } },
  tags: ['{tags[*]}'],
  metadata: { labels: '{labels}' },
};

describe('the draft of a mapping', () => {
  it('gives the mapping from which it was made', () => {
    expect(mappingOf(draftOf(MAPPING))).toEqual(MAPPING);
    expect(mappingOf(draftOf(null))).toEqual({});
  });

  it('inserts a picked path into the last focused field', () => {
    const empty = draftOf(null);

    expect(picked(empty, 'title', 'a.b').texts.title.template).toBe('{a.b}');
    expect(picked(picked(empty, 'tags', 'x'), 'tags', 'x').tags).toEqual(['{x}']);
    expect(picked(empty, 'metadata', '$.a["b c"]').metadata).toEqual([{ name: 'b c', template: '{$.a["b c"]}' }]);
    expect(picked(empty, 'severity', 'level').severity.template).toBe('{level}');
  });
});
