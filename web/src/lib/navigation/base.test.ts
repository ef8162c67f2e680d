import { afterEach, describe, expect, it, vi } from 'vitest';

/** The module as a page with this manifest, or the worker at this address, loads it. */
async function loaded(manifest: string | null, href: string) {
  vi.resetModules();
  vi.stubGlobal('document', manifest === null ? undefined : { querySelector: () => ({ href: manifest }) });
  vi.stubGlobal('location', { href, origin: 'https://ops.example.org' });
  return import('@/lib/navigation/base');
}

describe('the path of the service', () => {
  afterEach(() => vi.unstubAllGlobals());

  it.each([
    ['https://ops.example.org/inbox/manifest.webmanifest', '/inbox'],
    ['https://ops.example.org/a/b/manifest.webmanifest', '/a/b'],
    ['https://ops.example.org/manifest.webmanifest', ''],
  ])('is that of the manifest %s of a page', async (manifest, path) => {
    const { base, below, ownAddress } = await loaded(manifest, 'https://ops.example.org/elsewhere/w/home');
    expect(base).toBe(path);
    expect(below('/v1/me')).toBe(`${path}/v1/me`);
    expect(ownAddress()).toBe(`https://ops.example.org${path}`);
  });

  it('is that of the worker, which has no page', async () => {
    const { within, ownName } = await loaded(null, 'https://ops.example.org/inbox/sw.js');
    expect(within('/inbox/w/home')).toBe('/w/home');
    expect(within('/inboxes/w/home')).toBeNull();
    expect(ownName('device')).toBe('/inbox device');
  });

  it('leaves names as they are at the root', async () => {
    const { within, ownName } = await loaded(null, 'https://ops.example.org/sw.js');
    expect([within('/w/home'), ownName('device')]).toEqual(['/w/home', 'device']);
  });
});
