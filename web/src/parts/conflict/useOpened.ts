import { useEffect, useEffectEvent, useState } from 'react';

/**
 * The fields of a new or stored record that a person edits, and the record as it was opened.
 * The live layer may show a newer record beside the form. A form that nobody changed follows it. A changed one keeps its own
 * fields until the person takes the newer ones.
 *
 * `sentOf` says what a write sends of the fields, for a form that holds more.
 * `base` is the record that a write builds on: a newer one with the same fields is no obstacle.
 */
export function useOpened<Stored, Form>(
  stored: Stored | null,
  formOf: (stored: Stored) => Form,
  empty: () => Form,
  sentOf: (form: Form) => unknown = (form) => form,
) {
  const textOf = (fields: Form) => JSON.stringify(sentOf(fields));
  const [opened, setOpened] = useState(stored);
  const [form, setForm] = useState(() => (stored ? formOf(stored) : empty()));
  const [first, setFirst] = useState(() => textOf(form));
  const [replaced, setReplaced] = useState(stored);
  const isTouched = textOf(form) !== first;
  const isChanged = opened === null || isTouched;
  const newest = stored !== null && stored !== replaced ? stored : opened;
  const take = (latest: Stored) => {
    const fields = formOf(latest);
    setReplaced(stored); // what the page still shows may be older than what was taken
    setOpened(latest);
    setForm(fields);
    setFirst(textOf(fields));
  };
  const follow = useEffectEvent(() => {
    if (newest !== null && newest !== opened && !isChanged) take(newest);
  });
  useEffect(() => follow(), [newest, isChanged]);
  return {
    opened,
    base: newest !== null && textOf(formOf(newest)) === first ? newest : opened,
    form,
    setForm,
    take,
    discard: () => newest !== null && take(newest),
    isChanged,
    /** A person changed a field. A new record that nobody touched has nothing to lose. */
    isTouched,
  };
}
