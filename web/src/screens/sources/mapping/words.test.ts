import { describe, expect, it } from 'vitest';
import type { SourceMapping } from '@/api';
import { withFields, wordsOf } from '@/screens/sources/mapping/words';

const MAPPING: SourceMapping = {
  items: 'alerts[*]',
  title: { template: '{name}', default: 'Alarm' },
  url: { template: '{link}' },
  severity: { template: '{level}', table: { page: 'CRITICAL' }, default: 'WARNING' },
  action: { template: '{state}', table: { ok: 'resolve' } },
  tags: ['{a}', '{b}'],
  metadata: { host: '{host}', site: '{site}' },
};

describe('the fields of two mappings', () => {
  it('are described by the labels of the form', () => {
    expect(wordsOf(MAPPING)).toMatchObject({
      Items: 'alerts[*]',
      Title: '{name}; otherwise Alarm',
      Link: '{link}',
      Severity: '{level}; page: Critical; otherwise Warning',
      Action: '{state}; ok: Resolve',
      Tags: '{a}, {b}',
      Metadata: 'host: {host}; site: {site}',
      Resource: '',
    });
    expect(Object.keys(wordsOf(null))).toEqual(Object.keys(wordsOf(MAPPING)));
    expect(new Set(Object.values(wordsOf(null)))).toEqual(new Set(['']));
  });

  it('are merged: own changes win, else the newer record', () => {
    const edited: SourceMapping = { items: 'mine', title: { template: 'mine' } };
    const latest: SourceMapping = { items: 'theirs', title: { template: 'theirs' }, tags: ['theirs'] };

    expect(withFields(latest, edited, ['Title', 'Tags'])).toEqual({ items: 'theirs', title: { template: 'mine' } });
    expect(withFields(null, edited, ['Items'])).toEqual({ items: 'mine' });
  });
});
