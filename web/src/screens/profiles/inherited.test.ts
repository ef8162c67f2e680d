import { describe, expect, it } from 'vitest';
import { inherited } from '@/screens/profiles/inherited';

describe('an empty field of a profile', () => {
  it.each([
    [15, 'min', 'Workspace default: 15 min'],
    [6, '', 'Workspace default: 6'],
    [0, 'min', 'Workspace default: never'],
  ])('stands for %i %s of the workspace: "%s"', (value, unit, text) => {
    expect(inherited(value, unit)).toBe(text);
  });
});
