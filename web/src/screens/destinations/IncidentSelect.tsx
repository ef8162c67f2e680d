import { Select } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { IncidentRecord } from '@/api';
import { incidentsListOptions } from '@/api/@tanstack/react-query.gen';
import { useWorkspace } from '@/lib/session/workspace';

const LIMIT = 20;

type Props = { label: string; value: IncidentRecord; onChange: (incident: IncidentRecord) => void };

/** One incident: of the newest ones, or of all that the typed text finds. */
export function IncidentSelect({ label, value, onChange }: Props) {
  const { workspace } = useWorkspace();
  const [typed, setTyped] = useState('');
  const [settled] = useDebouncedValue(typed, 300);
  const chosen = optionOf(value);
  // The field shows the chosen incident until the person types.
  const q = settled === chosen.label ? '' : settled.trim().replace(/^#/, '');
  const query = useQuery({
    ...incidentsListOptions({ query: { workspaceId: workspace.id, limit: LIMIT, ...(q ? { q } : {}) } }),
    placeholderData: keepPreviousData,
  });
  // Until the list is read, the chosen incident is its only option: an option that came later would replace what is typed.
  const found = query.data?.items ?? [value];
  return (
    <Select
      label={label}
      flex={1}
      searchable
      allowDeselect={false}
      nothingFoundMessage={query.isFetching ? 'Searching…' : 'No incident has this title, resource, key or number.'}
      data={found.map((each) => (each.id === value.id ? chosen : optionOf(each)))}
      filter={({ options }) => options}
      value={value.id}
      searchValue={typed}
      onSearchChange={setTyped}
      onFocus={(event) => event.currentTarget.select()}
      onChange={(id) => {
        const incident = found.find((each) => each.id === id);
        if (incident) onChange(incident);
      }}
    />
  );
}

function optionOf({ id, number, title }: IncidentRecord) {
  return { value: id, label: `#${number} ${title}` };
}
