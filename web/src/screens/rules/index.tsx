import type { RuleRecord } from '@/api';
import type { ScreenProps } from '@/lib/navigation/screen';
import { DefaultRouteEditor } from '@/screens/rules/DefaultRouteEditor';
import { Editor } from '@/screens/rules/Editor';
import { RuleList } from '@/screens/rules/RuleList';

/** Routing rules: the ordered list, and the editor of one rule or of the default route. */
export default function Rules({ rest }: ScreenProps) {
  const part = rest[0];
  if (!part) return <RuleList />;
  if (part === 'default') return <DefaultRouteEditor />;
  return <Editor key={part} id={part === 'new' ? null : (part as RuleRecord['id'])} />;
}
