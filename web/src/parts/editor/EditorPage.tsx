import type { ReactNode } from 'react';
import type { ConflictProps } from '@/parts/conflict/Conflict';
import { BackLink } from '@/parts/editor/BackLink';
import { EditorForm } from '@/parts/editor/EditorForm';
import { LeaveGuard } from '@/parts/editor/LeaveGuard';
import { PageHeader } from '@/parts/PageHeader';

type Props<Stored> = {
  /** The list of such records. */
  back: { href: string; label: string };
  title: string;
  about: string;
  /** Buttons beside the title. */
  actions?: ReactNode;
  /** Null for a new record: nobody else can have changed it. */
  conflict: ConflictProps<Stored> | null;
  /** The class of the columns of form and preview. */
  columns: string | undefined;
  onSave: () => void;
  /** Leaving the page would lose what a person typed. */
  isUnsaved: boolean;
  /** What the form would do, beside it. */
  preview: ReactNode;
  children: ReactNode;
};

/** The page of a new or stored record: the form at the left, what it would do at the right. */
export function EditorPage<Stored extends { id: string }>(props: Props<Stored>) {
  const { back, title, about, actions, conflict, columns, onSave, isUnsaved, preview, children } = props;
  return (
    <>
      <LeaveGuard isUnsaved={isUnsaved} />
      <BackLink {...back} />
      <PageHeader title={title} about={about}>
        {actions}
      </PageHeader>
      <div className={columns}>
        <EditorForm conflict={conflict} onSave={onSave}>
          {children}
        </EditorForm>
        {preview}
      </div>
    </>
  );
}
