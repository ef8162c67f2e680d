import type { LucideIcon } from 'lucide-react';
import type { LazyExoticComponent } from 'react';

/** The props of a screen: the parts of the address after its name, such as `['src_…', 'keys']`. */
export type ScreenProps = { rest: string[] };
export type ScreenComponent = LazyExoticComponent<(props: ScreenProps) => React.ReactNode>;

export type Screen = {
  /** The folder in `src/screens/` and the part of the address: `/w/{slug}/{name}`, or `/{name}` outside of workspaces. */
  name: string;
  label: string;
  icon: LucideIcon;
  group: 'work' | 'configure' | 'insight' | 'workspace' | 'own';
  /** The second key after `g`. */
  key?: string;
  /** The purpose of the screen; shown while the folder does not exist. */
  about: string;
  /**
   * The words that may follow in the address in place of the id of a record. Absent: whatever follows is its own. The API has
   * reads beside those of one record, so that `incidents/counts` would be read as an incident.
   */
  words?: readonly string[];
  /** It fills the window, without the frame. */
  isBare?: boolean;
  /** Only for administrators of the instance. */
  instanceAdmin?: boolean;
};

/** Returns whether a screen has this address. Each id has a prefix with an underscore. */
export function isAddressOf({ words }: Pick<Screen, 'words'>, [part]: readonly string[]): boolean {
  return words === undefined || part === undefined || words.includes(part) || /^[a-z]+_\w+$/.test(part);
}
