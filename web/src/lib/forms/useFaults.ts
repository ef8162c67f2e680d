import { useEffect, useRef, useState } from 'react';
import { type FieldFaults, NO_FAULTS } from '@/lib/requests/problems';

/** The texts of the fields that still hold what was refused. `config.url` names a field of an object. */
export function unchanged(fields: FieldFaults['fields'], refused: object, form: object): FieldFaults['fields'] {
  return Object.fromEntries(Object.entries(fields).filter(([path]) => at(refused, path) === at(form, path)));
}

function at(form: object, path: string): unknown {
  return path.split('.').reduce<unknown>((value, name) => (value as Record<string, unknown> | null)?.[name], form);
}

// An input for passwords has the mark of Mantine alone.
const AT_FAULT = '[aria-invalid="true"], input[data-invalid]';

/** Puts the focus on the first field at fault, once the page shows the faults. */
export function focusFault(): void {
  setTimeout(() => document.querySelector<HTMLElement>(AT_FAULT)?.focus());
}

/**
 * The faults of a form, found before a save or named by the service. A fault disappears when its field changes.
 * The first field at fault gets the focus, because a long form hides it above the button. Faults in `rest` leave the focus to
 * `FormSummary`.
 */
export function useFaults(form: object) {
  const element = useRef<HTMLFormElement>(null);
  const [found, setFound] = useState({ faults: NO_FAULTS, form });
  useEffect(() => {
    if (found.faults.rest.length > 0) return;
    element.current?.querySelector<HTMLElement>(AT_FAULT)?.focus();
  }, [found]);
  return {
    element,
    faults: { fields: unchanged(found.faults.fields, found.form, form), rest: found.faults.rest },
    setFaults: (faults: FieldFaults) => setFound({ faults, form }),
  };
}
