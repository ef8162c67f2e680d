import type { ReactNode, RefObject } from 'react';
import { Conflict, type ConflictProps } from '@/parts/conflict/Conflict';
import { KeptByFile } from '@/parts/KeptByFile';

type Identified = { id: string };

type Props<Stored> = {
  /** Null for a new record: nobody else can have changed it. */
  conflict: ConflictProps<Stored> | null;
  onSave: () => void;
  /** The form checks its fields itself, and shows faults beside them. */
  noValidate?: boolean;
  element?: RefObject<HTMLFormElement | null>;
  children: ReactNode;
};

/** The form of a record, and the choice between two versions when somebody else changed the record in between. */
export function EditorForm<Stored extends Identified>({
  conflict,
  onSave,
  noValidate = false,
  element,
  children,
}: Props<Stored>) {
  return (
    <>
      {conflict && <Conflict {...conflict} />}
      <form
        ref={element}
        noValidate={noValidate}
        onSubmit={(event) => {
          event.preventDefault();
          onSave();
        }}
      >
        {conflict?.opened && <KeptByFile id={conflict.opened.id} />}
        {children}
      </form>
    </>
  );
}
