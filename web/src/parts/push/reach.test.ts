import { expect, it } from 'vitest';
import { phoneObstacle } from '@/parts/push/reach';

it.each([
  ['http://127.0.0.1:8080', 'Phones cannot reach 127.0.0.1.'],
  ['http://localhost:8080/inbox', 'Phones cannot reach localhost.'],
  ['https://[::1]:8443', 'Phones cannot reach [::1].'],
  ['http://192.168.1.5:8080', 'Phones get notifications over https only.'],
])('the address %s is an obstacle for phones', (address, text) => {
  expect(phoneObstacle(address)).toBe(`${text} Set INBOX_BASE_URL to the https address of this instance.`);
});

it('an https address of a network is none', () => {
  expect(phoneObstacle('https://inbox.example.org')).toBeNull();
});
