import { describe, expect, it } from 'vitest';
import type { ImportKindRecord } from '@/api';
import { base64, bodyOf, draftOf, isComplete } from '@/screens/sources/import/draft';

const KIND: ImportKindRecord = {
  kind: 'healthchecks',
  label: 'Healthchecks',
  summary: '',
  setup: '',
  forms: ['address', 'document'],
  defaultAddress: 'https://healthchecks.io',
  hasSchedules: false,
};

describe('a draft of an import', () => {
  it('begins with the first form and the known address', () => {
    expect(draftOf(KIND, 'UTC')).toMatchObject({ form: 'address', address: 'https://healthchecks.io', token: '' });
  });

  it('sends the chosen form alone', () => {
    const draft = { ...draftOf(KIND, 'UTC'), document: '{}', token: 'secret' };
    expect(bodyOf(draft, KIND, 'wsp_1')).toEqual({
      workspaceId: 'wsp_1',
      kind: 'healthchecks',
      address: 'https://healthchecks.io',
      token: 'secret',
    });
    expect(bodyOf({ ...draft, form: 'document' }, KIND, 'wsp_1')).toEqual({
      workspaceId: 'wsp_1',
      kind: 'healthchecks',
      document: '{}',
    });
  });

  it('sends the options of a crontab', () => {
    const kind = { ...KIND, kind: 'crontab', hasSchedules: true, forms: ['document' as const] };
    const draft = { ...draftOf(kind, 'Europe/Riga'), document: 'x' };
    expect(bodyOf(draft, kind, 'wsp_1')).toMatchObject({ timezone: 'Europe/Riga', hasUserField: false });
  });

  it('is complete when its form is filled in', () => {
    expect(isComplete(draftOf(KIND, 'UTC'))).toBe(true);
    expect(isComplete({ ...draftOf(KIND, 'UTC'), form: 'document' })).toBe(false);
    expect(isComplete({ ...draftOf(KIND, 'UTC'), form: 'file' })).toBe(false);
  });

  it('encodes any bytes', () => {
    const bytes = new Uint8Array(70_000).map((_, at) => at % 256);
    expect(atob(base64(bytes)).length).toBe(70_000);
    expect(base64(new Uint8Array([0, 255, 16]))).toBe('AP8Q');
  });
});
