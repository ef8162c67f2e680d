import { describe, expect, it } from 'vitest';
import { EXAMPLE, pastedEvent } from '@/screens/rules/pastedEvent';

describe('a pasted event', () => {
  it('is an object of JSON', () => {
    expect(pastedEvent('{"title": "Disk full"}')).toEqual({ event: { title: 'Disk full' }, fault: null });
    expect(pastedEvent(EXAMPLE).event).toMatchObject({ severity: 'ERROR' });
  });

  it.each(['', '{"title"', '[{"title": "x"}]', '"text"', 'null', '7'])('is refused as %s', (text) => {
    const { event, fault } = pastedEvent(text);
    expect(event).toBeNull();
    expect(fault).not.toBe('');
  });
});
