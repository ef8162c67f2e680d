import { describe, expect, it } from 'vitest';
import { actionText, choices } from '@/parts/audit/actions';
import { filtersOf } from '@/screens/audit/filters';

describe('the actions of the audit log', () => {
  it('splits an action into subject and verb', () => {
    expect(actionText('routing_profile.created')).toBe('Routing profile: created');
  });

  it('offers each subject of workspaces with all its actions, and no other subject', () => {
    const member = { action: 'member.left', label: 'Member: left' };
    const session = { action: 'session.started', label: 'Session: started' };
    expect(
      choices([
        { subject: 'member', label: 'Members', inWorkspaces: true, actions: [member] },
        { subject: 'session', label: 'Sessions', inWorkspaces: false, actions: [session] },
      ]),
    ).toEqual([
      {
        group: 'Members',
        items: [
          { value: 'member', label: 'Members: all' },
          { value: 'member.left', label: 'Member: left' },
        ],
      },
    ]);
  });
});

describe('the filters of the audit log', () => {
  it('takes known values of the address, and ignores others', () => {
    const search = new URLSearchParams('action=member&actor=usr_1&targetId=src_1&request=abc&q=db&entry=aud_1');
    expect(filtersOf(search)).toEqual({
      action: 'member',
      actorId: 'usr_1',
      targetId: 'src_1',
      requestId: 'abc',
      q: 'db',
    });
  });

  it('begins and ends with whole days, and ignores what is no day', () => {
    const found = filtersOf(new URLSearchParams('since=2026-11-20&until=nonsense'));
    expect(found).toEqual({ since: new Date('2026-11-20T00:00:00').toISOString() });
  });
});
