import { Anchor, Button, Select, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { KeyRound } from 'lucide-react';
import { useState } from 'react';
import type { SourceRecord, SourceSnippet } from '@/api';
import { sourceKindsListOptions, sourceKindsSnippetsOptions } from '@/api/@tanstack/react-query.gen';
import { Snippets } from '@/parts/Snippets';
import type { KeyChoice } from '@/screens/sources/CreateKey';
import { KEY_KINDS } from '@/screens/sources/keyKinds';
import type { FreshKey } from '@/screens/sources/tabProps';

const FIRST_KIND = 'events';

type Props = {
  source: SourceRecord;
  fresh: FreshKey | null;
  /** Asks for a key of another kind; null where the person may not create keys. */
  onAsk: ((choice: KeyChoice) => void) | null;
};

/** The ready texts of the service for one kind of sender. A fresh key takes its place in the texts that it fits. */
export function SenderSnippets({ source, fresh, onAsk }: Props) {
  const [chosen, setChosen] = useState(FIRST_KIND);
  const kinds = useQuery({ ...sourceKindsListOptions(), staleTime: Infinity });
  const texts = useQuery({ ...sourceKindsSnippetsOptions({ path: { source_id: source.id } }), staleTime: Infinity });
  if (!kinds.data || !texts.data) return null;
  const kind = kinds.data.items.find((each) => each.kind === chosen);
  const { keyPlaceholder, items } = texts.data;
  const shown = items.filter((each) => each.kind === chosen);
  const fits = (each: SourceSnippet) =>
    each.keyKind === fresh?.kind && (fresh.tool === null || fresh.tool === each.kind);
  const needed = kind && !shown.some(fits) ? kind.keyKind : null;
  return (
    <Stack gap="xs">
      <Select
        label="Sender"
        searchable
        data={kinds.data.items.map((each) => ({ value: each.kind, label: each.label, disabled: !each.available }))}
        value={chosen}
        allowDeselect={false}
        nothingFoundMessage="No such sender"
        maw={360}
        onChange={(value) => value && setChosen(value)}
      />
      <Text size="sm" className="soft">
        {kind?.summary} {kind?.setup}{' '}
        {kind?.docsUrl && (
          <Anchor href={kind.docsUrl} target="_blank" rel="noreferrer" size="sm" underline="always">
            Its documentation
          </Anchor>
        )}
        {needed && ` Replace ${keyPlaceholder} by ${KEY_KINDS[needed].article}.`}
      </Text>
      {needed && needed !== 'source_key' && onAsk && (
        <div>
          <Button
            variant="default"
            leftSection={<KeyRound size={15} aria-hidden />}
            onClick={() => onAsk({ kind: needed, tool: needed === 'signing_secret' ? chosen : null })}
          >
            Create {KEY_KINDS[needed].article}
          </Button>
        </div>
      )}
      <Snippets
        key={chosen}
        items={shown.map((each) => ({
          ...each,
          text: fits(each) ? each.text.replaceAll(keyPlaceholder, fresh!.secret) : each.text,
        }))}
      />
    </Stack>
  );
}
