import { Anchor, Button, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { KeyRound } from 'lucide-react';
import { useSearchParams } from 'wouter';
import type { SourceKind, SourceRecord, SourceSnippet } from '@/api';
import { sourceKindsSnippetsOptions } from '@/api/@tanstack/react-query.gen';
import { KEY_KINDS } from '@/lib/configuration/keyKinds';
import { Snippets } from '@/parts/Snippets';
import type { KeyChoice } from '@/screens/sources/CreateKey';
import { FIRST_KIND, KindSelect, useSourceKinds } from '@/screens/sources/kinds/KindSelect';
import classes from '@/screens/sources/Sources.module.css';
import type { FreshKey } from '@/screens/sources/tabProps';

type Props = {
  source: SourceRecord;
  fresh: FreshKey | null;
  /** Asks for a key of another kind; null where the person may not create keys. */
  onAsk: ((choice: KeyChoice) => void) | null;
};

/** The ready texts for one kind of sender, which is in the address. A fresh key takes its place in the texts that it fits. */
export function SenderSnippets({ source, fresh, onAsk }: Props) {
  const [params, setParams] = useSearchParams();
  const kinds = useSourceKinds();
  const texts = useQuery({ ...sourceKindsSnippetsOptions({ path: { source_id: source.id } }), staleTime: Infinity });
  if (!kinds || !texts.data) return null;
  const kind =
    kinds.find((each) => each.kind === params.get('sender')) ?? kinds.find((each) => each.kind === FIRST_KIND);
  const chosen = kind?.kind ?? FIRST_KIND;
  const { keyPlaceholder, items } = texts.data;
  const shown = items.filter((each) => each.kind === chosen);
  const fits = (each: SourceSnippet) =>
    each.keyKind === fresh?.kind && (fresh.tool === null || fresh.tool === each.kind);
  const needed = kind && !shown.some(fits) ? kind.keyKind : null;
  return (
    <Stack gap="xs">
      <KindSelect
        kinds={kinds}
        value={chosen}
        maw={360}
        onChange={(next) => setParams(next === FIRST_KIND ? {} : { sender: next }, { replace: true })}
      />
      <Text size="sm" className="soft">
        {kind?.summary} {kind?.setup}{' '}
        {kind?.docsUrl && (
          <Anchor href={kind.docsUrl} target="_blank" rel="noreferrer" size="sm" underline="always">
            Documentation
          </Anchor>
        )}
        {needed && ` Replace ${keyPlaceholder} with ${KEY_KINDS[needed].article}.`}
      </Text>
      {kind && <Needs kind={kind} />}
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

/** The settings that matter to this kind, with the tab that has them. */
function Needs({ kind }: { kind: SourceKind }) {
  const [, setParams] = useSearchParams();
  const fields = kind.fields.filter((field) => field.of === 'source');
  if (fields.length === 0) return null;
  return (
    <ul className={classes.notes} aria-label="Settings for this sender">
      {fields.map((field) => (
        <li key={field.name}>
          <Anchor
            component="button"
            type="button"
            size="sm"
            underline="always"
            onClick={() => setParams({ tab: tabOf(field) })}
          >
            {field.label}
          </Anchor>
          <span className="soft">: {field.help}</span>
        </li>
      ))}
    </ul>
  );
}

function tabOf({ type }: SourceKind['fields'][number]): 'mapping' | 'settings' {
  return type === 'mapping' ? 'mapping' : 'settings';
}
