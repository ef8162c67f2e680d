import { describe, expect, it } from 'vitest';
import type { SourceKind, SourceKindField, SourceRecord } from '@/api';
import {
  choiceLabel,
  fieldBody,
  fieldValues,
  keyFieldOf,
  kindsWith,
  sourceFields,
} from '@/screens/sources/kinds/fields';

const field = (name: string, changes: Partial<SourceKindField> = {}): SourceKindField => ({
  name,
  label: name,
  type: 'text',
  help: '',
  of: 'source',
  required: false,
  choices: [],
  ...changes,
});
const kind = (name: string, ...fields: SourceKindField[]) =>
  ({ kind: name, label: name.toUpperCase(), fields }) as unknown as SourceKind;

const PATTERN = field('pattern');
const FLAG = field('allow', { type: 'flag' });
const KINDS = [
  kind('push', PATTERN, FLAG),
  kind('mail', PATTERN),
  kind('signed', field('secret', { of: 'key', type: 'secret' })),
  kind('custom', field('mapping', { type: 'mapping' })),
];

describe('fields of source kinds', () => {
  it('has each field of a source once, without mappings and fields of keys', () => {
    expect(sourceFields(KINDS)).toEqual([PATTERN, FLAG]);
    expect(sourceFields(KINDS, 'mail')).toEqual([PATTERN]);
    expect(sourceFields(KINDS, 'signed')).toEqual([]);
    expect(sourceFields(KINDS, 'custom')).toEqual([]);
  });

  it('finds the field of the key of a kind', () => {
    expect(keyFieldOf(KINDS, 'signed')?.name).toBe('secret');
    expect(keyFieldOf(KINDS, 'push')).toBeUndefined();
    expect(keyFieldOf(KINDS, null)).toBeUndefined();
  });

  it('begins with the values of the source, and never with a secret', () => {
    const source = { pattern: '^OK', allow: true, token: 'abcd' } as unknown as SourceRecord;
    const fields = [PATTERN, FLAG, field('token', { type: 'secret' })];
    expect(fieldValues(fields, source)).toEqual({ pattern: '^OK', allow: true, token: '' });
    expect(fieldValues(fields, null)).toEqual({ pattern: '', allow: false, token: '' });
  });

  it('begins with the first choice where one is required', () => {
    const choice = field('incidentFor', { type: 'choice', required: true, choices: ['group', 'alert'] });
    expect(fieldValues([choice], null)).toEqual({ incidentFor: 'group' });
    expect(fieldValues([choice], { incidentFor: 'alert' } as unknown as SourceRecord)).toEqual({
      incidentFor: 'alert',
    });
  });

  it('sends null for an empty field, and no secret that was left empty', () => {
    const fields = [PATTERN, FLAG, field('token', { type: 'secret' })];
    expect(fieldBody(fields, { pattern: '', allow: false, token: '' })).toEqual({ pattern: null, allow: false });
    expect(fieldBody(fields, { pattern: '^OK', allow: true, token: 'new' })).toEqual({
      pattern: '^OK',
      allow: true,
      token: 'new',
    });
  });

  it('names choices and kinds by their labels', () => {
    expect(choiceLabel(KINDS, 'mail')).toBe('MAIL');
    expect(choiceLabel(KINDS, 'unknown')).toBe('Unknown');
    expect(kindsWith(KINDS, [PATTERN])).toEqual(['PUSH', 'MAIL']);
    expect(kindsWith(KINDS, [FLAG])).toEqual(['PUSH']);
  });
});
