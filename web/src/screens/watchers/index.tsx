import type { WatcherRecord } from '@/api';
import type { ScreenProps } from '@/lib/navigation/screen';
import { WatcherDetail } from '@/screens/watchers/WatcherDetail';
import { WatcherList } from '@/screens/watchers/WatcherList';

/** Watchers: the list, and one of them. */
export default function Watchers({ rest: [part] }: ScreenProps) {
  if (part === undefined) return <WatcherList />;
  return <WatcherDetail key={part} id={part as WatcherRecord['id']} />;
}
