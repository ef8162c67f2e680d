import { Button, Group, Select, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { X } from 'lucide-react';
import { auditActionsOptions, membersListOptions } from '@/api/@tanstack/react-query.gen';
import { useDraft } from '@/lib/forms/useDraft';
import { useWorkspace } from '@/lib/session/workspace';
import { choices } from '@/parts/audit/actions';
import classes from '@/screens/audit/Audit.module.css';

const PAUSE_MS = 300;

type Props = {
  search: URLSearchParams;
  set: (name: string, value: string | null) => void;
  clear: () => void;
};

/** All filters of the audit log. They are in the address. */
export function FilterBar({ search, set, clear }: Props) {
  const { workspace } = useWorkspace();
  const members = useQuery(membersListOptions({ path: { workspace_id: workspace.id }, query: { limit: 200 } }));
  const actions = useQuery({ ...auditActionsOptions(), staleTime: Infinity });
  return (
    <Group px="md" pb="sm" gap="xs" align="flex-end" className={classes.filters}>
      <SearchText value={search.get('q') ?? ''} onChange={(value) => set('q', value)} />
      <Select
        label="Action"
        placeholder="All"
        clearable
        searchable
        w={230}
        data={choices(actions.data?.items ?? [])}
        value={search.get('action')}
        onChange={(value) => set('action', value)}
        clearButtonProps={{ 'aria-label': 'All actions' }}
      />
      <Select
        label="Who"
        placeholder="Everybody"
        clearable
        searchable
        w={190}
        value={search.get('actor')}
        onChange={(value) => set('actor', value)}
        clearButtonProps={{ 'aria-label': 'Everybody' }}
        data={(members.data?.items ?? []).map((each) => ({ value: each.userId, label: each.name }))}
      />
      <TextInput
        label="From"
        type="date"
        w={160}
        value={search.get('since') ?? ''}
        onChange={(event) => set('since', event.currentTarget.value)}
      />
      <TextInput
        label="Until"
        type="date"
        w={160}
        value={search.get('until') ?? ''}
        onChange={(event) => set('until', event.currentTarget.value)}
      />
      {search.get('targetId') && <Chosen text="One target" onRemove={() => set('targetId', null)} />}
      {search.get('request') && <Chosen text="One request" onRemove={() => set('request', null)} />}
      {[...search.keys()].length > 0 && (
        <Button variant="default" onClick={clear}>
          Clear the filters
        </Button>
      )}
    </Group>
  );
}

const trimmed = (text: string) => text.trim();

/** The text, which becomes a filter after a pause of the typing. */
function SearchText({ value, onChange }: { value: string; onChange: (value: string) => void }) {
  const draft = useDraft(value, onChange, { pauseMs: PAUSE_MS, stored: trimmed });
  return (
    <TextInput
      label="Search"
      placeholder="Name or details"
      type="search"
      w={200}
      maxLength={256}
      value={draft.text}
      onChange={(event) => draft.type(event.currentTarget.value)}
    />
  );
}

/** A filter that was chosen in an entry. */
function Chosen({ text, onRemove }: { text: string; onRemove: () => void }) {
  return (
    <Button
      variant="default"
      onClick={onRemove}
      rightSection={<X size={14} aria-hidden />}
      aria-label={`${text}: remove this filter`}
    >
      {text}
    </Button>
  );
}
