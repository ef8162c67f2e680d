import { expect, test } from 'vitest';
import type { ContactProvider } from '@/api';
import { isAddress, waysOf } from '@/screens/account/contactWays';

const PROVIDER = {
  id: 'dst_1',
  kind: 'twilio_sms',
  name: 'Texts',
  workspaceName: 'Shop',
  fieldLabel: 'To',
  example: '+491700000000',
  pattern: '\\+[1-9][0-9]{4,14}',
} as unknown as ContactProvider;

test('mail is a way only where the instance sends mail', () => {
  expect(waysOf(true, [PROVIDER]).map((each) => each.label)).toEqual(['Mail', 'SMS: Texts (Shop)']);
  expect(waysOf(false, []).length).toBe(0);
});

test('a number has the form that the provider takes', () => {
  const [way] = waysOf(false, [PROVIDER]);

  expect(way && isAddress(way, '+491700000001')).toBe(true);
  expect(way && isAddress(way, '0170 000001')).toBe(false);
  expect(way?.field).toBe('Phone number');
});
