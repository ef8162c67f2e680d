import { describe, expect, it } from 'vitest';
import {
  answersOf,
  curlOf,
  type Document,
  fieldsOf,
  groupsOf,
  limitsText,
  searched,
  typeText,
} from '@/screens/docs/openapi';

const DOCUMENT: Document = {
  info: { title: 'T', version: '1' },
  tags: [{ name: 'things', description: 'Things.' }, { name: 'empty' }],
  paths: {
    '/v1/things/{thing_id}': {
      parameters: [{ $ref: '#/components/parameters/ThingId' }],
      get: { tags: ['things'], summary: 'Read a thing', operationId: 'thingsRead', responses: { 200: {} } },
      patch: {
        tags: ['things'],
        summary: 'Change a thing',
        operationId: 'thingsEdit',
        security: [{ sessionCookie: [] }, { deviceBearer: [] }],
        requestBody: { content: { 'application/json': { example: { name: "Olga's" } } } },
        responses: { 200: { description: 'OK' }, 404: { $ref: '#/components/responses/not_found' } },
      },
    },
  },
  components: {
    parameters: { ThingId: { name: 'thing_id', in: 'path', required: true } },
    responses: { not_found: { description: 'Not found' } },
    schemas: {
      Thing: {
        type: 'object',
        required: ['id'],
        properties: { id: { type: 'string' }, next: { $ref: '#/components/schemas/Thing' } },
      },
    },
  },
};
const THING = { $ref: '#/components/schemas/Thing' };

it('operations are grouped by tag, with the parameters of their path', () => {
  const groups = groupsOf(DOCUMENT);
  expect(groups.map((group) => [group.name, group.operations.map((each) => each.id)])).toEqual([
    ['things', ['thingsRead', 'thingsEdit']],
  ]);
  expect(groups[0]!.operations[0]!.parameters?.[0]?.name).toBe('thing_id');
});

it('a search finds operations that have all its words', () => {
  expect(searched(groupsOf(DOCUMENT), 'PATCH thing')[0]!.operations).toHaveLength(1);
  expect(searched(groupsOf(DOCUMENT), 'thing nothing')).toEqual([]);
});

describe('a schema', () => {
  it('has its fields, also through references and lists', () => {
    expect(fieldsOf(DOCUMENT, { type: 'array', items: THING }).map((each) => [each.name, each.isRequired])).toEqual([
      ['id', true],
      ['next', false],
    ]);
  });

  it('is named in words', () => {
    expect(typeText({ type: ['string', 'null'], format: 'date-time' })).toBe('string (date-time) or null');
    expect(typeText({ type: 'array', items: THING })).toBe('array of Thing');
    expect(typeText({ anyOf: [THING, { type: 'null' }] })).toBe('Thing or null');
    expect(limitsText({ minimum: 1, maximum: 200, default: 50 })).toBe('At least 1. At most 200. Default: 50.');
  });
});

it('the command has the credential and the example, quoted for a shell', () => {
  const [, edit] = groupsOf(DOCUMENT)[0]!.operations;
  expect(curlOf(edit!, 'http://x')).toBe(
    'curl -X PATCH "http://x/v1/things/$THING_ID" \\\n  -H "Authorization: Bearer $ACCESS_TOKEN" \\\n' +
      `  -H "Content-Type: application/json" \\\n  -d '{"name":"Olga'\\''s"}'`,
  );
});

it('answers are split from problems', () => {
  const [, edit] = groupsOf(DOCUMENT)[0]!.operations;
  const { good, problems } = answersOf(DOCUMENT, edit!);
  expect([good.map(([status]) => status), problems[0]]).toEqual([['200'], ['404', { description: 'Not found' }]]);
});
