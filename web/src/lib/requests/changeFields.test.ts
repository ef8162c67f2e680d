import { describe, expect, it } from 'vitest';
import { changeFields, untilSaved } from '@/lib/requests/changeFields';

type View = { rev: number; name: string; isDefault: boolean };

/** A service with one record, which refuses old revisions. */
function service(stored: View) {
  const calls = {
    read: () => Promise.resolve({ ...stored }),
    send: (change: Partial<View>, rev: number) => {
      // The service refuses with a problem document, as the generated client throws it.
      // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors
      if (rev !== stored.rev) return Promise.reject({ code: 'rev_mismatch', status: 412 });
      stored = { ...stored, ...change, rev: rev + 1 };
      return Promise.resolve({ ...stored });
    },
  };
  return { calls, stored: () => stored };
}

const OPENED: View = { rev: 1, name: 'Night', isDefault: false };

describe('a change of fields', () => {
  it('is saved where nobody else changed the record', async () => {
    const { calls } = service(OPENED);
    expect(await changeFields(OPENED, { name: 'Day' }, calls)).toEqual({ saved: { ...OPENED, rev: 2, name: 'Day' } });
  });

  it('is saved together with a change of other fields', async () => {
    const { calls, stored } = service({ ...OPENED, rev: 2, isDefault: true });
    await changeFields(OPENED, { name: 'Day' }, calls);
    expect(stored()).toEqual({ rev: 3, name: 'Day', isDefault: true });
  });

  it('is refused with the newer record where the same field was changed', async () => {
    const newer = { ...OPENED, rev: 2, name: 'Evening' };
    const { calls, stored } = service(newer);
    expect(await changeFields(OPENED, { name: 'Day' }, calls)).toEqual({ newer });
    expect(stored()).toEqual(newer);
  });

  it('is no conflict when another person made the same change', async () => {
    const { calls } = service({ ...OPENED, rev: 2, isDefault: true });
    expect((await changeFields(OPENED, { isDefault: true }, calls)).saved?.isDefault).toBe(true);
  });

  it('ends with another fault', async () => {
    const fault = new Error('no connection');
    const calls = { ...service(OPENED).calls, send: () => Promise.reject(fault) };
    await expect(changeFields(OPENED, { name: 'Day' }, calls)).rejects.toBe(fault);
  });
});

describe('an attempt', () => {
  const refused = { code: 'rev_mismatch', status: 412 };

  /** Refuses this often, and counts. */
  function attempts(refusals: number, fault: unknown) {
    const made = { count: 0 };
    const attempt = () => {
      made.count += 1;
      // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors
      return made.count > refusals ? Promise.resolve() : Promise.reject(fault);
    };
    return { made, attempt };
  }

  it('is repeated a limited number of times while others write', async () => {
    const few = attempts(4, refused);
    await untilSaved(few.attempt);
    expect(few.made.count).toBe(5);
    const many = attempts(9, refused);
    await expect(untilSaved(many.attempt)).rejects.toBe(refused);
    expect(many.made.count).toBe(5);
  });

  it('is not repeated after another fault', async () => {
    const fault = new Error('no connection');
    const { made, attempt } = attempts(9, fault);
    await expect(untilSaved(attempt)).rejects.toBe(fault);
    expect(made.count).toBe(1);
  });
});
