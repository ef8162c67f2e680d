import { BellOff, Check, CircleAlert, Hourglass, type LucideIcon } from 'lucide-react';
import type { NoticeRecord } from '@/api';
import { listed } from '@/lib/words/words';
import { reached } from '@/screens/incidents/delivered';
import classes from '@/screens/incidents/Notices.module.css';

type Look = { icon: LucideIcon; word: string; mark: 'sent' | 'waiting' | 'lost' };

const SENT: Look = { icon: Check, word: 'Delivered to', mark: 'sent' };
const WAITING: Look = { icon: Hourglass, word: 'Not yet delivered to', mark: 'waiting' };
const LOST: Look = { icon: CircleAlert, word: 'Not delivered to', mark: 'lost' };

/** Who was notified of an act: ✓ Team chat. The tab of the notifications has the details. */
export function DeliveryBadge({ notice }: { notice: NoticeRecord }) {
  const { sent, waiting, lost, failing, nobody } = reached(notice);
  if (nobody && lost.length === 0)
    return (
      <span className={classes.badge} data-mark="lost">
        <BellOff size={13} aria-hidden /> No one notified
      </span>
    );
  return (
    <>
      <Names names={sent} look={SENT} />
      <Names names={waiting} look={failing ? { ...WAITING, mark: 'lost' } : WAITING} />
      <Names names={lost} look={LOST} />
    </>
  );
}

function Names({ names, look: { icon: Icon, word, mark } }: { names: string[]; look: Look }) {
  if (names.length === 0) return null;
  return (
    <span className={classes.badge} data-mark={mark} title={`${word} ${listed(names)}`}>
      <Icon size={13} aria-hidden />
      <span className="only-for-readers">{word} </span>
      {listed(names)}
    </span>
  );
}
