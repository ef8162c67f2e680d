import { useState } from 'react';

/**
 * The fields of a new or stored record that a person edits, and the record as it was opened.
 * The live layer may show a newer record beside the form. The form keeps its own until the person takes the newer one.
 */
export function useOpened<Stored, Form>(stored: Stored | null, formOf: (stored: Stored) => Form, empty: () => Form) {
  const [opened, setOpened] = useState(stored);
  const [form, setForm] = useState(() => (stored ? formOf(stored) : empty()));
  const [first, setFirst] = useState(() => JSON.stringify(form));
  const take = (latest: Stored) => {
    const fields = formOf(latest);
    setOpened(latest);
    setForm(fields);
    setFirst(JSON.stringify(fields));
  };
  return { opened, form, setForm, take, isChanged: opened === null || JSON.stringify(form) !== first };
}
