import { useState } from 'react';
import type { SourceRecord } from '@/api';
import type { ScreenProps } from '@/app/screens';
import { SourceDetail } from '@/screens/sources/SourceDetail';
import { SourceList } from '@/screens/sources/SourceList';

/** A key that was made while the screen is open. It is in the ready text until the screen is left. */
export type FreshKey = { sourceId: string; secret: string };

/** Senders of events: the list, or one of them with its set-up, events, keys and settings. */
export default function Sources({ rest }: ScreenProps) {
  const [fresh, setFresh] = useState<FreshKey | null>(null);
  const [id] = rest;
  if (id === undefined) return <SourceList />;
  return (
    <SourceDetail
      key={id}
      id={id as SourceRecord['id']}
      secret={fresh?.sourceId === id ? fresh.secret : null}
      onSecret={(secret) => setFresh({ sourceId: id, secret })}
    />
  );
}
