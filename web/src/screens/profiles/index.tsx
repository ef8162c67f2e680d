import type { ProfileRecord } from '@/api';
import type { ScreenProps } from '@/lib/navigation/screen';
import { Editor } from '@/screens/profiles/Editor';
import { ProfileList } from '@/screens/profiles/ProfileList';

/** Routing profiles: the list, and the form of one with its simulation. */
export default function Profiles({ rest }: ScreenProps) {
  const part = rest[0];
  if (!part) return <ProfileList />;
  return <Editor key={part} id={part === 'new' ? null : (part as ProfileRecord['id'])} />;
}
