import { useInViewport } from '@mantine/hooks';
import { lazy, type ReactNode, Suspense, useState } from 'react';
import type { IncidentRecord } from '@/api';
import { useWorkspace } from '@/lib/session/workspace';
import { ErrorBoundary } from '@/parts/ErrorBoundary';
import classes from '@/screens/incidents/Incident.module.css';

const load = () => import('@/screens/incidents/Edits');
const Assignee = lazy(async () => ({ default: (await load()).Assignee }));
const Tags = lazy(async () => ({ default: (await load()).Tags }));

type Props = { incident: IncidentRecord };

/** The assignee of the incident. Viewers read the name, as everybody does until the field is loaded. */
export function EditedAssignee({ incident }: Props) {
  return (
    <Edited shown={incident.assignee?.name ?? 'Nobody'}>
      <Assignee incident={incident} />
    </Edited>
  );
}

/** The tags of the incident. Viewers read them. */
export function EditedTags({ incident }: Props) {
  return (
    <Edited shown={incident.tags.length > 0 ? incident.tags.map((tag) => `#${tag}`).join(' ') : 'None'}>
      <Tags incident={incident} />
    </Edited>
  );
}

/** The text until the field is loaded. A phone shows the facts last: it loads the fields when somebody scrolls to them. */
function Edited({ shown, children }: { shown: string; children: ReactNode }) {
  const { can } = useWorkspace();
  const { ref, inViewport } = useInViewport<HTMLDivElement>();
  const [wasSeen, setSeen] = useState(false);
  if (inViewport && !wasSeen) setSeen(true);
  if (!can('member')) return shown;
  const text = (
    <div ref={ref} className={classes.fieldToCome}>
      {shown}
    </div>
  );
  if (!wasSeen) return text;
  return (
    <ErrorBoundary>
      <Suspense fallback={text}>{children}</Suspense>
    </ErrorBoundary>
  );
}
