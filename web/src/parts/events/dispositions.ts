import {
  CircleCheck,
  CircleDot,
  CircleSlash,
  FileText,
  Hourglass,
  Layers,
  type LucideIcon,
  Megaphone,
  Timer,
  Unlink,
} from 'lucide-react';
import type { EventRow } from '@/api';

export type Disposition = EventRow['disposition'];
type Look = { word: string; icon: LucideIcon; colour: string; about: string };

const PLAIN = 'var(--text-soft)';

/** The outcome of an event: a word, a sign, and a sentence. */
export const DISPOSITIONS: Record<Disposition, Look> = {
  opened: { word: 'Opened', icon: CircleDot, colour: 'var(--state-open)', about: 'It opened or reopened an incident.' },
  updated: {
    word: 'Updated',
    icon: Layers,
    colour: 'var(--severity-info)',
    about: 'It was added to an unresolved incident.',
  },
  resolved: { word: 'Resolved', icon: CircleCheck, colour: 'var(--state-resolved)', about: 'It resolved an incident.' },
  notified: {
    word: 'Notified',
    icon: Megaphone,
    colour: 'var(--severity-info)',
    about: 'A rule sent an informational notification for it.',
  },
  logged: { word: 'Logged', icon: FileText, colour: PLAIN, about: 'It was only stored.' },
  unmatched: {
    word: 'Unmatched',
    icon: Unlink,
    colour: PLAIN,
    about: 'It was a recovery without an unresolved incident.',
  },
  waiting: {
    word: 'Waiting',
    icon: Timer,
    colour: PLAIN,
    about: 'A rule counted it and waits for more events before it opens an incident.',
  },
  dropped: { word: 'Dropped', icon: CircleSlash, colour: PLAIN, about: 'A rule dropped it. The record is kept.' },
  pending: { word: 'Pending', icon: Hourglass, colour: 'var(--severity-warning)', about: 'It is not routed yet.' },
};
