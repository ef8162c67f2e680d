import { Text, TextInput } from '@mantine/core';
import { Search } from 'lucide-react';
import { useState } from 'react';
import type { DestinationKindRecord } from '@/api';
import { KindIcon } from '@/screens/destinations/KindIcon';
import classes from '@/screens/destinations/KindTiles.module.css';

type Props = { kinds: readonly DestinationKindRecord[]; onChoose: (kind: string) => void };

/** The kinds of destinations, to begin with one of them. What this instance lacks says why. */
export function KindTiles({ kinds, onChoose }: Props) {
  const [words, setWords] = useState('');
  const sought = words.trim().toLowerCase();
  const found = kinds.filter((each) => `${each.label} ${each.summary}`.toLowerCase().includes(sought));
  return (
    <div>
      <TextInput
        label="Where should notifications go?"
        placeholder="Search, such as Slack"
        leftSection={<Search size={15} aria-hidden />}
        data-autofocus
        autoFocus
        mb="sm"
        value={words}
        onChange={(event) => setWords(event.currentTarget.value)}
        onKeyDown={(event) => {
          const [first] = found.filter((each) => each.available);
          if (event.key === 'Enter' && first && sought !== '') onChoose(first.kind);
        }}
      />
      <ul className={classes.tiles} aria-label="Kinds">
        {found.map((kind) => (
          <li key={kind.kind}>
            <button
              type="button"
              className={classes.tile}
              disabled={!kind.available}
              title={kind.unavailableBecause ?? kind.summary}
              onClick={() => onChoose(kind.kind)}
            >
              <KindIcon kind={kind} />
              <span>{kind.label}</span>
              {kind.unavailableBecause && <span className={classes.why}>{kind.unavailableBecause}</span>}
            </button>
          </li>
        ))}
      </ul>
      {found.length === 0 && (
        <Text size="sm" className="soft" role="status">
          No kind matches. Any service with an HTTP API can be a destination of the kind HTTP request.
        </Text>
      )}
    </div>
  );
}
