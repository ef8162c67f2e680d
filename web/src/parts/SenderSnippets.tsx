import { Select, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { SourceRecord } from '@/api';
import { sourceKindsListOptions, sourceKindsSnippetsOptions } from '@/api/@tanstack/react-query.gen';
import { Snippets } from '@/parts/Snippets';

const FIRST_KIND = 'events';

/** The ready texts of the service for one kind of sender. `secret` takes the place of the key where it is known. */
export function SenderSnippets({ source, secret }: { source: SourceRecord; secret: string | null }) {
  const [chosen, setChosen] = useState(FIRST_KIND);
  const kinds = useQuery({ ...sourceKindsListOptions(), staleTime: Infinity });
  const texts = useQuery({ ...sourceKindsSnippetsOptions({ path: { source_id: source.id } }), staleTime: Infinity });
  if (!kinds.data || !texts.data) return null;
  const kind = kinds.data.items.find((each) => each.kind === chosen);
  const { keyPlaceholder, items } = texts.data;
  const fits = secret !== null && isOfKind(secret, kind?.keyKind);
  return (
    <Stack gap="xs">
      <Select
        label="Sender"
        searchable
        data={kinds.data.items.map((each) => ({ value: each.kind, label: each.label }))}
        value={chosen}
        allowDeselect={false}
        nothingFoundMessage="No such sender"
        maw={360}
        onChange={(value) => value && setChosen(value)}
      />
      <Text size="sm" className="soft">
        {kind?.summary} {kind?.setup}
        {!fits && ` Replace ${keyPlaceholder} by ${kind?.keyKind === 'alias_token' ? 'an alias token' : 'a key'}.`}
      </Text>
      <Snippets
        key={chosen}
        items={items
          .filter((each) => each.kind === chosen)
          .map((each) => ({ ...each, text: fits ? each.text.replaceAll(keyPlaceholder, secret) : each.text }))}
      />
    </Stack>
  );
}

/** A source key begins with a prefix that no alias token has. */
function isOfKind(secret: string, kind: string | undefined): boolean {
  return secret.startsWith('svc_src_') === (kind === 'source_key');
}
