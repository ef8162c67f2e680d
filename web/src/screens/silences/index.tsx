import type { SilenceRecord } from '@/api';
import type { ScreenProps } from '@/lib/navigation/screen';
import { Editor } from '@/screens/silences/Editor';
import { SilenceList } from '@/screens/silences/SilenceList';

/** Silences: the list by state, and the form of one. */
export default function Silences({ rest }: ScreenProps) {
  const part = rest[0];
  if (!part) return <SilenceList />;
  return <Editor key={part} id={part === 'new' ? null : (part as SilenceRecord['id'])} />;
}
