import { expect, test } from 'vitest';
import { withBrowserZone } from '@/lib/time/zone';

const refusal = (pointer: string) =>
  Object.assign(new Error('refused'), { code: 'validation_failed', status: 422, errors: [{ pointer, detail: '' }] });

async function sent(timezone: string, pointer?: string): Promise<unknown[]> {
  const zones: unknown[] = [];
  const send = (zone: { timezone?: string }) => {
    zones.push(zone);
    return pointer && zone.timezone ? Promise.reject(refusal(pointer)) : Promise.resolve();
  };
  await withBrowserZone(send, timezone).catch((fault: unknown) => zones.push(fault));
  return zones;
}

test('the zone of the browser is sent', async () => {
  expect(await sent('Europe/Berlin')).toEqual([{ timezone: 'Europe/Berlin' }]);
});

test('a browser without a zone sends none', async () => {
  expect(await sent('')).toEqual([{}]);
});

test('a zone that the service does not know is left out', async () => {
  expect(await sent('Mars/Base', '/timezone')).toEqual([{ timezone: 'Mars/Base' }, {}]);
});

test('another refusal is passed on', async () => {
  expect(await sent('Europe/Berlin', '/email')).toEqual([{ timezone: 'Europe/Berlin' }, refusal('/email')]);
});
