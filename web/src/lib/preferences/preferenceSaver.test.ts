import { describe, expect, it } from 'vitest';
import type { Saved } from '@/lib/preferences/preferences';
import { PreferenceSaver } from '@/lib/preferences/preferenceSaver';

function saver() {
  const sent: Saved[] = [];
  const ends: (() => void)[] = [];
  const saver = new PreferenceSaver((change) => {
    sent.push(change);
    return new Promise((resolve) => ends.push(resolve));
  });
  const end = async () => {
    ends.shift()?.();
    await new Promise((resolve) => setTimeout(resolve));
  };
  return { saver, sent, end };
}

describe('changes of preferences', () => {
  it('are sent one after the other, and later changes together', async () => {
    const { saver: changes, sent, end } = saver();
    changes.take({ theme: 'dark' });
    changes.take({ density: 'compact' });
    changes.take({ density: 'comfortable', sound: true });
    expect(sent).toEqual([{ theme: 'dark' }]);

    await end();
    expect(sent.slice(1)).toEqual([{ density: 'comfortable', sound: true }]);
    expect(changes.isSaving).toBe(true);

    await end();
    expect(changes.isSaving).toBe(false);
  });

  it('that wait are sent at once when the page is left, and once', async () => {
    const { saver: changes, sent, end } = saver();
    changes.take({ theme: 'dark' });
    changes.take({ theme: 'light' });
    changes.leave();
    changes.leave();
    await end();

    expect(sent).toEqual([{ theme: 'dark' }, { theme: 'light' }]);
  });
});
