import { Pill, Select, TextInput } from '@mantine/core';
import { Search } from 'lucide-react';
import type { Ref } from 'react';
import type { SourceRecord } from '@/api';
import { useDraft } from '@/lib/forms/useDraft';
import { SEVERITIES, SEVERITY_WORD } from '@/lib/words/words';
import { DISPOSITIONS } from '@/parts/events/dispositions';
import classes from '@/screens/events/Filters.module.css';
import type { EventFilters } from '@/screens/events/useEvents';

const PAUSE_MS = 300;
const SEVERITY_CHOICES = SEVERITIES.flatMap((each) => [
  { value: each, label: SEVERITY_WORD[each] },
  ...(each === 'WARNING' || each === 'ERROR'
    ? [{ value: `gte:${each}`, label: `${SEVERITY_WORD[each]} or worse` }]
    : []),
]);
const DISPOSITION_CHOICES = Object.entries(DISPOSITIONS).map(([value, { word }]) => ({ value, label: word }));
const PERIOD_CHOICES = [
  { value: '1h', label: 'Last hour' },
  { value: '24h', label: 'Last 24 hours' },
  { value: '7d', label: 'Last 7 days' },
  { value: '30d', label: 'Last 30 days' },
];
const ORDER_CHOICES = [
  { value: 'oldest', label: 'Oldest first' },
  { value: 'severity', label: 'By severity' },
  { value: 'source', label: 'By source' },
  { value: 'title', label: 'By title' },
  { value: 'disposition', label: 'By outcome' },
];

type Props = {
  ref?: Ref<HTMLInputElement>;
  filters: EventFilters;
  sources: SourceRecord[];
  onChange: (changes: Partial<EventFilters>) => void;
};

/** The filters of the address. The text is applied when the person stops typing. */
export function Filters({ ref, filters, sources, onChange }: Props) {
  const draft = useDraft(filters.q, (q) => onChange({ q }), { pauseMs: PAUSE_MS });
  const choice = (name: keyof EventFilters, label: string, all: string, data: { value: string; label: string }[]) => (
    <Select
      aria-label={label}
      placeholder={all}
      data={data}
      value={filters[name] || null}
      onChange={(value) => onChange({ [name]: value ?? '' })}
      clearable
      clearButtonProps={{ 'aria-label': `Clear: ${label.toLowerCase()}` }}
      comboboxProps={{ width: 'max-content', position: 'bottom-start' }}
    />
  );
  return (
    <div className={classes.filters} role="search" aria-label="Events">
      <TextInput
        ref={ref}
        className={classes.text}
        aria-label="Search the events"
        placeholder="Search the text of events"
        type="search"
        leftSection={<Search size={15} aria-hidden />}
        value={draft.text}
        onChange={(event) => draft.type(event.currentTarget.value)}
      />
      {choice(
        'source',
        'Source',
        'All sources',
        sources.map((each) => ({ value: each.id, label: each.name })),
      )}
      {choice('severity', 'Severity', 'All severities', SEVERITY_CHOICES)}
      {choice('disposition', 'Outcome', 'All outcomes', DISPOSITION_CHOICES)}
      {choice('last', 'Period', 'Any time', PERIOD_CHOICES)}
      {choice('sort', 'Order', 'Newest first', ORDER_CHOICES)}
      {filters.label && (
        <Pill
          size="lg"
          withRemoveButton
          removeButtonProps={{ 'aria-label': `Clear: label ${filters.label}`, tabIndex: 0, 'aria-hidden': false }}
          onRemove={() => onChange({ label: '' })}
        >
          {filters.label}
        </Pill>
      )}
    </div>
  );
}
