import { useState } from 'react';
import type { SourceRecord } from '@/api';
import type { ScreenProps } from '@/lib/navigation/screen';
import { Import } from '@/screens/sources/import';
import { SourceDetail } from '@/screens/sources/SourceDetail';
import { SourceList } from '@/screens/sources/SourceList';
import type { FreshKey } from '@/screens/sources/tabProps';

/** Senders of events: the list, or one of them with its set-up, events, keys and settings, or an import. */
export default function Sources({ rest }: ScreenProps) {
  const [made, setMade] = useState<{ sourceId: string; key: FreshKey } | null>(null);
  const [id] = rest;
  if (id === undefined) return <SourceList />;
  if (id === 'import') return <Import />;
  return (
    <SourceDetail
      key={id}
      id={id as SourceRecord['id']}
      fresh={made?.sourceId === id ? made.key : null}
      onFresh={(key) => setMade({ sourceId: id, key })}
    />
  );
}
