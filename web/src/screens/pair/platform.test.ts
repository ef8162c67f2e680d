import { describe, expect, it } from 'vitest';
import { platform } from '@/screens/pair/platform';

const SAFARI =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_4 like Mac OS X) AppleWebKit/605.1.15 Version/18.4 Mobile/15E148 Safari/604.1';
const IPAD = 'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 Version/18.4 Safari/605.1.15';
const CHROME = 'Mozilla/5.0 (Linux; Android 16) AppleWebKit/537.36 Chrome/140.0 Mobile Safari/537.36';

describe('the platform of a browser', () => {
  it('is iOS in Safari of a phone and of a tablet', () => {
    expect(platform(SAFARI, 5)).toBe('ios');
    expect(platform(IPAD, 5)).toBe('ios');
  });

  it('is another browser of iOS where cookies are not copied to the installed app', () => {
    expect(platform(SAFARI.replace('Version/18.4', 'CriOS/140.0'), 5)).toBe('ios-other');
  });

  it('is Android with Chromium or Firefox, else a computer', () => {
    expect(platform(CHROME, 5)).toBe('android-chromium');
    expect(platform('Mozilla/5.0 (Android 16; Mobile; rv:140.0) Gecko/140.0 Firefox/140.0', 5)).toBe('android-firefox');
    expect(platform(IPAD, 0)).toBe('desktop');
  });
});
