import { describe, expect, it } from 'vitest';
import { type Content, labelChanges, labelsOf, linksOf, saysMore, tableOf } from '@/lib/events/content';

const RUNBOOK = 'https://wiki.example.org/disk';
const ALERT: Content = {
  title: 'Disk of db-1 is almost full',
  body: 'Only 12.4 % is left on /var/lib/postgresql.',
  url: 'https://prometheus.example.org/graph',
  metadata: {
    annotations: { description: 'Only 12.4 % is left on /var/lib/postgresql.', runbook_url: RUNBOOK },
    values: { B: 12.4 },
    labels: { alertname: 'DiskFull', instance: 'db-1:9100' },
  },
};

describe('the content of an event', () => {
  it('has labels first, and nothing that the text or a link shows', () => {
    expect(tableOf(ALERT)).toEqual([
      { name: 'alertname', value: 'DiskFull' },
      { name: 'instance', value: 'db-1:9100' },
      { name: 'values.B', value: '12.4' },
    ]);
  });

  it('links the runbook, the sender and the dashboard; the runbook of the rule goes first', () => {
    const links = linksOf({ ...ALERT, sourceName: 'Grafana' }, null);
    expect(links).toEqual([
      { label: 'Runbook', href: RUNBOOK },
      { label: 'View in Grafana', href: ALERT.url },
    ]);
    expect(linksOf(ALERT, 'https://wiki.example.org/rule')[0]?.href).toBe('https://wiki.example.org/rule');
    const grafana = { ...ALERT, metadata: { links: { dashboard: 'https://grafana.example.org/d/1' } } };
    expect(linksOf(grafana, null).at(-1)).toEqual({ label: 'Dashboard', href: 'https://grafana.example.org/d/1' });
  });

  it('never links what does not lead to the web', () => {
    const hostile = { ...ALERT, url: 'javascript:alert(1)', metadata: { runbook: 'javascript:alert(1)' } };
    expect(linksOf(hostile, null)).toEqual([]);
  });

  it('reads lists, deep values and odd metadata', () => {
    expect(labelsOf({ metadata: { ports: [80, 443], disk: { used: '97 %', none: null } } })).toEqual([
      { name: 'ports', value: '80, 443', isJoined: true },
      { name: 'disk.used', value: '97 %' },
    ]);
    for (const metadata of [null, undefined, 'text', ['a'], { labels: 'no record' }])
      expect(labelsOf({ metadata }).length).toBeLessThan(2);
    let deep: unknown = 'end';
    for (let level = 0; level < 50; level += 1) deep = { a: deep };
    expect(labelsOf({ metadata: deep })[0]?.name).toBe('a.a.a.a.a.a');
  });

  it('says no more than the title where only the title is given', () => {
    expect(saysMore({ title: 'Hello', body: null, url: null, metadata: null })).toBe(false);
    expect(saysMore(ALERT)).toBe(true);
  });

  it('says which labels changed', () => {
    const later = { ...ALERT, metadata: { labels: { alertname: 'DiskFull', instance: 'db-2' }, values: { B: 12.4 } } };
    expect(labelChanges({ ...ALERT, metadata: { labels: { instance: 'db-1' } } }, later)).toEqual([
      { name: 'alertname', before: null, after: 'DiskFull' },
      { name: 'instance', before: 'db-1', after: 'db-2' },
      { name: 'values.B', before: null, after: '12.4' },
    ]);
  });
});
