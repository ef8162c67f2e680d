import type { ScheduleRecord } from '@/api';
import type { ScreenProps } from '@/lib/navigation/screen';
import { Editor } from '@/screens/on-call/Editor';
import { Overview } from '@/screens/on-call/Overview';
import { Schedule } from '@/screens/on-call/Schedule';

/** People on call: who is on call now, one schedule with its shifts, and the form of a schedule. */
export default function OnCall({ rest }: ScreenProps) {
  const [part, act] = rest;
  if (part === undefined) return <Overview />;
  if (part === 'new') return <Editor id={null} />;
  const id = part as ScheduleRecord['id'];
  return act === 'edit' ? <Editor key={part} id={id} /> : <Schedule key={part} id={id} />;
}
