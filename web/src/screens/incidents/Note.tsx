import { Button, Group, Textarea } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import type { IncidentRecord } from '@/api';
import { incidentsNoteMutation } from '@/api/@tanstack/react-query.gen';
import { useKeys } from '@/lib/keyboard/keys';
import { message } from '@/lib/requests/problems';
import styles from '@/parts/styles.module.css';
import classes from '@/screens/incidents/Incident.module.css';
import { draftOf, keepDraft } from '@/screens/incidents/drafts';

/** A note for the timeline, in one line until somebody writes it. What is not sent stays as a draft of the incident. */
export function Note({ incident: { id }, onSaved }: { incident: IncidentRecord; onSaved: () => unknown }) {
  const [text, setText] = useState(() => draftOf(id));
  const [isFocused, setFocused] = useState(false);
  const field = useRef<HTMLTextAreaElement>(null);
  const write = (next: string) => {
    keepDraft(id, next);
    setText(next);
  };
  const add = useMutation({
    ...incidentsNoteMutation(),
    onSuccess: (_answer, { body }) => {
      // What was typed since stays.
      if (draftOf(id).trim() === body.text) write('');
      void onSaved();
    },
  });
  const save = () => {
    if (text.trim() === '' || add.isPending) return;
    add.mutate({ path: { incident_id: id }, body: { text: text.trim() } });
  };
  const isOpen = isFocused || text !== '';
  useKeys('Notes', [{ keys: 'n', label: 'Add a note', run: () => field.current?.focus() }]);
  return (
    <div className={classes.composer}>
      <Textarea
        ref={field}
        aria-label="Note"
        placeholder={isOpen ? 'What you found, what you did' : 'Add a note'}
        autosize
        minRows={isOpen ? 2 : 1}
        maxRows={8}
        value={text}
        maxLength={10_000}
        error={add.error ? message(add.error) : undefined}
        onFocus={() => setFocused(true)}
        onBlur={() => setFocused(false)}
        onChange={(event) => write(event.currentTarget.value)}
        onKeyDown={(event) => (event.ctrlKey || event.metaKey) && event.key === 'Enter' && save()}
      />
      {text.trim() && (
        <Group gap="xs" justify="space-between">
          <span className={`soft ${styles.tiny}`}>Destinations that receive notes get it, too.</span>
          <Button size="compact-md" mih="var(--target)" loading={add.isPending} onClick={save}>
            Add note
          </Button>
        </Group>
      )}
    </div>
  );
}
