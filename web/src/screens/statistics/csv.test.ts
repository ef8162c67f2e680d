import { expect, test } from 'vitest';
import { csv } from '@/screens/statistics/csv';

test('texts are quoted and numbers are not', () => {
  expect(csv(['Title', 'Events'], [['Disk "C", full', 3]])).toBe('"Title","Events"\r\n"Disk ""C"", full",3\r\n');
});

test.each(['=1+1', '+1', '-1', '@SUM(A1)', '\t=1'])('%j is no formula', (text) => {
  expect(csv([text], [])).toBe(`"'${text}"\r\n`);
});
