import { ActionIcon, Group, Pill, Text, TextInput } from '@mantine/core';
import { Search as SearchIcon, X } from 'lucide-react';
import { forwardRef } from 'react';
import { useDraft } from '@/lib/forms/useDraft';
import { type Search, without } from '@/lib/incidents/search';
import { KeyHint } from '@/parts/KeyHint';
import styles from '@/parts/styles.module.css';

type Props = { text: string; search: Search; faults: readonly string[]; onChange: (text: string) => void };

const PAUSE_MS = 250;

/** Free words and typed tokens; tokens are shown as chips below, each with its own end. */
export const SearchField = forwardRef<HTMLInputElement, Props>(function SearchField(
  { text, search, faults, onChange },
  ref,
) {
  const draft = useDraft(text, onChange, { pauseMs: PAUSE_MS });
  return (
    <div className={styles.bar} role="search">
      <TextInput
        ref={ref}
        value={draft.text}
        onChange={(event) => draft.type(event.currentTarget.value)}
        aria-label="Search incidents"
        placeholder="Title, resource, number, or severity>=error tag:prod assignee:me last:24h"
        leftSection={<SearchIcon size={15} aria-hidden />}
        spellCheck={false}
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
