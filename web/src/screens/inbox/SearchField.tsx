import { ActionIcon, Group, Pill, Text, TextInput } from '@mantine/core';
import { Search as SearchIcon, X } from 'lucide-react';
import { forwardRef, useId } from 'react';
import { useDraft } from '@/lib/forms/useDraft';
import { completions } from '@/lib/incidents/completions';
import { type Names, type Search, without } from '@/lib/incidents/search';
import { KeyHint } from '@/parts/KeyHint';
import styles from '@/parts/styles.module.css';

type Props = {
  text: string;
  search: Search;
  names: Names;
  faults: readonly string[];
  onChange: (text: string) => void;
};

const PAUSE_MS = 250;

/** Free words and typed tokens; tokens are shown as chips below, each with its own end. */
export const SearchField = forwardRef<HTMLInputElement, Props>(function SearchField(
  { text, search, names, faults, onChange },
  ref,
) {
  const draft = useDraft(text, onChange, { pauseMs: PAUSE_MS });
  const list = useId();
  return (
    <div className={styles.bar} role="search">
      <datalist id={list}>
        {completions(draft.text, names).map((each) => (
          <option key={each} value={each} />
        ))}
      </datalist>
      <TextInput
        ref={ref}
        value={draft.text}
        onChange={(event) => draft.type(event.currentTarget.value)}
        aria-label="Search incidents"
        placeholder="Title, resource, number, or severity>=error tag:prod assignee:me last:24h"
        leftSection={<SearchIcon size={15} aria-hidden />}
        spellCheck={false}
        autoComplete="off"
        list={list}
        onKeyDown={(event) => {
          if (event.key === 'Enter') draft.flush();
          if (event.key === 'Escape') event.currentTarget.blur();
        }}
        rightSection={
          draft.text ? (
            <ActionIcon size="sm" aria-label="Clear the search" onClick={draft.clear}>
              <X size={14} aria-hidden />
            </ActionIcon>
          ) : (
            <KeyHint>/</KeyHint>
          )
        }
      />
      {(search.tokens.length > 0 || faults.length > 0) && (
        <Group gap={6} mt={6}>
          {search.tokens.map((token) => (
            <Pill
              key={token.text}
              withRemoveButton
              onRemove={() => onChange(without(text, token))}
              removeButtonProps={{ 'aria-label': `Remove ${token.text}`, 'aria-hidden': false, tabIndex: 0 }}
            >
              {token.text}
            </Pill>
          ))}
          {faults.map((fault) => (
            <Text key={fault} size="xs" c="var(--severity-warning)" role="status">
              {fault}
            </Text>
          ))}
        </Group>
      )}
    </div>
  );
});
