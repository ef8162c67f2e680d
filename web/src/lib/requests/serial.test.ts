import { describe, expect, it } from 'vitest';
import { Serial } from '@/lib/requests/serial';

describe('tasks one after the other', () => {
  it('begin when the previous one has ended, even if it failed', async () => {
    const serial = new Serial();
    const log: string[] = [];
    let release: () => void = () => undefined;
    const first = serial.run(async () => {
      log.push('first begins');
      await new Promise<void>((resolve) => (release = resolve));
      log.push('first ends');
      throw new Error('refused');
    });
    const second = serial.run(() => Promise.resolve(log.push('second')));
    await Promise.resolve();
    expect(serial.isIdle).toBe(false);
    await Promise.resolve();
    release();
    await Promise.all([first, second]);
    expect(log).toEqual(['first begins', 'first ends', 'second']);
    expect(serial.isIdle).toBe(true);
  });
});
