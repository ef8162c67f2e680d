import { describe, expect, it } from 'vitest';
import { changes, differences, others } from '@/parts/conflict/compare';

const PAGER = 'dst_00000000000000000000000001';
const nameOf = (id: string) => (id === PAGER ? 'Pager' : id);
const moment = (at: string) => `at ${at}`;
const words = (sent: object, latest: object) => differences({ ...sent }, { ...latest }, nameOf, moment);

describe('the changes of a person', () => {
  it('are the fields that differ from the opened record', () => {
    expect(changes({ name: 'a', tags: ['x'] }, { name: 'a', tags: ['x', 'y'], enabled: true })).toEqual({
      tags: ['x', 'y'],
      enabled: true,
    });
    expect(changes({ name: 'a', tags: [] }, { name: 'a', tags: [] })).toEqual({});
  });
});

describe('differences', () => {
  it('name the fields of both sides, and leave out what is equal', () => {
    expect(words({ name: 'Mine', enabled: true }, { name: 'Theirs', enabled: true, repeat: 3 })).toEqual([
      { field: 'Name', yours: 'Mine', latest: 'Theirs' },
    ]);
  });

  it('keep a label as it is', () => {
    expect(words({ 'Reminder for CRITICAL every': 5 }, { 'Reminder for CRITICAL every': 9 })).toEqual([
      { field: 'Reminder for CRITICAL every', yours: '5', latest: '9' },
    ]);
  });

  it('have words for switches, ids, times, empty values and lists', () => {
    const edited = {
      enabled: true,
      destinationIds: [PAGER],
      endsAt: '2026-11-24T10:00:00Z',
      tags: [],
      routingProfileId: null,
    };
    const latest = { enabled: false, destinationIds: [], endsAt: null, tags: ['a', 'b'], routingProfileId: PAGER };
    expect(words(edited, latest)).toEqual([
      { field: 'Enabled', yours: 'Yes', latest: 'No' },
      { field: 'Destinations', yours: 'Pager', latest: 'None' },
      { field: 'Ends at', yours: 'at 2026-11-24T10:00:00Z', latest: 'None' },
      { field: 'Tags', yours: 'None', latest: 'a, b' },
      { field: 'Routing profile', yours: 'None', latest: 'Pager' },
    ]);
  });

  it('look into objects and list the objects of a list', () => {
    const steps = (minutes: number) => [{ afterMinutes: minutes, destinationIds: [PAGER] }];
    expect(
      words({ then: { addTags: ['a'], snooze: 1 }, steps: steps(5) }, { then: { addTags: ['a'] }, steps: steps(9) }),
    ).toEqual([
      { field: 'Snooze', yours: '1', latest: 'None' },
      { field: 'Steps', yours: 'after minutes 5, destinations Pager', latest: 'after minutes 9, destinations Pager' },
    ]);
  });

  it('read both forms of a condition as one field', () => {
    const clause = { field: 'severity', op: 'gte', value: 'ERROR' };
    const tree = { all: [clause, { any: [clause, { not: clause }] }] };
    expect(words({ match: tree }, { matchText: 'title = "x"' })).toEqual([
      {
        field: 'Condition',
        yours: 'severity >= "ERROR" and (severity >= "ERROR" or not (severity >= "ERROR"))',
        latest: 'title = "x"',
      },
    ]);
    expect(words({ match: { all: [] } }, { match: { any: [] } })).toEqual([
      { field: 'Condition', yours: 'Everything', latest: 'Nothing' },
    ]);
  });
});

describe('the changes of other people', () => {
  it('are named for fields that the person does not send', () => {
    const opened = { name: 'a', sourceIds: [], match: { all: [] } };
    expect(others(opened, { name: 'b' }, { ...opened, name: 'c', sourceIds: [PAGER] })).toEqual(['Sources']);
    expect(others(opened, { matchText: 'x' }, { ...opened, match: { any: [] } })).toEqual([]);
    expect(others(opened, { name: 'b' }, opened)).toEqual([]);
  });
});
