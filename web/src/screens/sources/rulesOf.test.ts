import { describe, expect, it } from 'vitest';
import type { SourceRecord } from '@/api';
import { namesSource } from '@/screens/sources/rulesOf';

const source = { id: 'src_1', name: 'Web "shop"' } as unknown as SourceRecord;
const rule = (matchText: string, ...sourceIds: string[]) => ({ matchText, sourceIds }) as never;

describe('rules of a source', () => {
  it('name it in their sources or in their condition', () => {
    expect(namesSource(rule('severity >= ERROR', 'src_1'), source)).toBe(true);
    expect(namesSource(rule('source = "Web \\"shop\\"" and severity >= ERROR'), source)).toBe(true);
  });

  it('exclude rules of all sources, of other sources, and of longer names', () => {
    expect(namesSource(rule('severity >= ERROR'), source)).toBe(false);
    expect(namesSource(rule('severity >= ERROR', 'src_2'), source)).toBe(false);
    expect(namesSource(rule('source = "Web \\"shop\\" 2"'), source)).toBe(false);
  });
});
