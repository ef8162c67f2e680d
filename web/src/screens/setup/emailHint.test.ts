import { expect, it } from 'vitest';
import { emailHint } from '@/screens/setup/emailHint';

it('an address without a dot behind the sign is doubted, and no other', () => {
  for (const email of ['me@home', ' olga@example ']) expect(emailHint(email)).toContain('no dot');
  for (const email of ['', 'olga', 'olga@', 'olga@example.org', 'o.lga@mail.example.org'])
    expect(emailHint(email)).toBe('You sign in with it.');
});
