import { SEVERITY_WORD } from '@/lib/words/words';

/** Choices of settings whose word is not their name with a capital letter. */
const WORDS: Record<string, string> = {
  ...SEVERITY_WORD,
  us: 'US',
  eu: 'EU',
  general: 'Words of states in the title',
  icinga: 'Icinga and Nagios',
  mdadm: 'mdadm',
  smartd: 'smartd',
};

/** A choice of a setting as people read it: "Critical", "Uptime kuma", "POST". */
export function choiceWord(choice: string): string {
  if (Object.hasOwn(WORDS, choice)) return WORDS[choice]!;
  return /^[a-z]+(_[a-z]+)*$/.test(choice) ? (choice[0]!.toUpperCase() + choice.slice(1)).replaceAll('_', ' ') : choice;
}
