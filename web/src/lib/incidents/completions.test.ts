import { expect, it } from 'vitest';
import { completions } from '@/lib/incidents/completions';

const NAMES = {
  source: [
    { id: 'src_1', name: 'My db' },
    { id: 'src_2', name: 'Cron' },
  ],
  person: [{ id: 'usr_1', name: 'Mia Novak' }],
};

it.each([
  ['sev', ['severity:', 'severity>=']],
  ['disk full sev', ['disk full severity:', 'disk full severity>=']],
  ['severity:er', ['severity:error']],
  ['severity>=w', ['severity>=warning']],
  ['tag:prod source:', ['tag:prod source:"My db"', 'tag:prod source:Cron']],
  ['source:my', ['source:"My db"']],
  ['source:"my', ['source:"My db"']],
  ['assignee:m', ['assignee:me', 'assignee:"Mia Novak"']],
  ['is:', ['is:flapping']],
])('completes %j', (text, completed) => {
  expect(completions(text, NAMES)).toEqual(completed);
});

it.each(['', 'disk ', 'severity:error', 'severity:error ', 'nothing:x', 'tag:pr', 'is:flapping'])(
  'offers nothing for %j',
  (text) => {
    expect(completions(text, NAMES)).toEqual([]);
  },
);
