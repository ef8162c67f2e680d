import { useEffect, useEffectEvent, useRef, useState } from 'react';

/**
 * The fields of a new or stored record that a person edits, and the record as it was opened.
 * The live layer may show a newer record beside the form. A form that nobody changed follows it. A changed one keeps its own
 * fields until the person takes the newer ones.
 */
export function useOpened<Stored, Form>(stored: Stored | null, formOf: (stored: Stored) => Form, empty: () => Form) {
  const [opened, setOpened] = useState(stored);
  const [form, setForm] = useState(() => (stored ? formOf(stored) : empty()));
  const [first, setFirst] = useState(() => JSON.stringify(form));
  const replaced = useRef(stored);
  const isChanged = opened === null || JSON.stringify(form) !== first;
  const take = (latest: Stored) => {
    const fields = formOf(latest);
    replaced.current = stored; // what the page still shows may be older than what was taken
    setOpened(latest);
    setForm(fields);
    setFirst(JSON.stringify(fields));
  };
  const follow = useEffectEvent(() => {
    if (stored !== null && stored !== replaced.current && !isChanged) take(stored);
  });
  useEffect(() => follow(), [stored, isChanged]);
  return { opened, form, setForm, take, isChanged };
}
