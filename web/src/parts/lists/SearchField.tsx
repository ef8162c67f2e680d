import { CloseButton, TextInput } from '@mantine/core';
import { Search } from 'lucide-react';
import { useRef } from 'react';
import { useDraft } from '@/lib/forms/useDraft';
import { useKeys } from '@/lib/keyboard/keys';
import { KeyHint } from '@/parts/KeyHint';
import classes from '@/parts/lists/Filters.module.css';

type Props = {
  /** The screen, for the list of keys. */
  screen: string;
  label: string;
  placeholder: string;
  words: string;
  onChange: (words: string) => void;
};

/** The words that a list is searched for. The key / leads here. */
export function SearchField({ screen, label, placeholder, words, onChange }: Props) {
  const field = useRef<HTMLInputElement>(null);
  useKeys(screen, [{ keys: '/', label, run: () => field.current?.focus() }]);
  const draft = useDraft(words, onChange);
  return (
    <TextInput
      ref={field}
      className={classes.search}
      aria-label={label}
      placeholder={placeholder}
      leftSection={<Search size={15} aria-hidden />}
      value={draft.text}
      onChange={(event) => draft.type(event.currentTarget.value)}
      onKeyDown={(event) => event.key === 'Escape' && event.currentTarget.blur()}
      rightSection={
        draft.text ? (
          <CloseButton size="sm" aria-label="Clear the search" onClick={draft.clear} />
        ) : (
          <KeyHint>/</KeyHint>
        )
      }
    />
  );
}
