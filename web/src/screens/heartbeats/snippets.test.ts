import { describe, expect, it } from 'vitest';
import { pingWord, runtime } from '@/parts/heartbeats/words';
import { pingSnippets, placeholder } from '@/screens/heartbeats/snippets';

const PING = 'https://inbox.example.org/v1/heartbeats/svc_hb_x';
const CRON = { kind: 'cron', expression: '30 2 * * *', timezone: 'UTC' } as const;

describe('the snippet of a monitor', () => {
  it.each(pingSnippets(PING, CRON))('contains the address once: $name', ({ text }) => {
    expect(text.split(PING)).toHaveLength(2);
  });

  it('runs at the times of the monitor in a crontab', () => {
    const text = pingSnippets(PING, CRON).find((each) => each.name === 'cron')?.text;
    expect(text).toMatch(/^30 2 \* \* \* \/usr/m);
  });

  it('has a placeholder when the address is no longer shown', () => {
    expect(placeholder('https://inbox.example.org')).toMatch(/svc_hb_your_token$/);
  });
});

describe('the words of pings', () => {
  it('name the exit code of a failure', () => {
    expect(pingWord({ kind: 'fail', exitCode: 7 })).toBe('Failure, exit code 7');
    expect(pingWord({ kind: 'success', exitCode: 0 })).toBe('Success');
  });

  it.each([
    [480, '480 ms'],
    [2140, '2.1 s'],
    [59_000, '59 s'],
    [185_000, '3 min 5 s'],
    [7_260_000, '2 h 1 min'],
  ])('show a duration of %i ms as %s', (milliseconds, text) => {
    expect(runtime(milliseconds)).toBe(text);
  });
});
