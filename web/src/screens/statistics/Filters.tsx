import { Select, TextInput } from '@mantine/core';
import { useEffect, useEffectEvent, useState } from 'react';
import { useNames } from '@/lib/configuration/names';
import { SEVERITIES, SEVERITY_WORD } from '@/lib/words/words';
import classes from '@/screens/statistics/Statistics.module.css';

export type Chosen = { source: string; severity: string; tag: string };

const WAIT = 400;
const SEVERITY_CHOICES = SEVERITIES.map((value) => ({ value, label: SEVERITY_WORD[value] }));

/** The filters of the address. The tag is applied when the person stops typing. */
export function Filters({ chosen, onChange }: { chosen: Chosen; onChange: (changes: Partial<Chosen>) => void }) {
  const { sources } = useNames();
  const [tag, setTag] = useState(chosen.tag);
  useEffect(() => setTag(chosen.tag), [chosen.tag]);
  const apply = useEffectEvent((next: string) => {
    if (next !== chosen.tag) onChange({ tag: next });
  });
  useEffect(() => {
    const timer = setTimeout(() => apply(tag.trim()), WAIT);
    return () => clearTimeout(timer);
  }, [tag]);
  const clear = (name: string) => ({ 'aria-label': `Clear: ${name}` });
  return (
    <div className={classes.filters} role="search" aria-label="Statistics">
      <Select
        aria-label="Source"
        placeholder="All sources"
        data={sources}
        value={chosen.source || null}
        onChange={(value) => onChange({ source: value ?? '' })}
        searchable
        clearable
        clearButtonProps={clear('source')}
      />
      <Select
        aria-label="Severity"
        placeholder="All severities"
        data={SEVERITY_CHOICES}
        value={chosen.severity || null}
        onChange={(value) => onChange({ severity: value ?? '' })}
        clearable
        clearButtonProps={clear('severity')}
      />
      <TextInput
        aria-label="Tag"
        placeholder="Any tag"
        maxLength={256}
        value={tag}
        onChange={(event) => setTag(event.currentTarget.value)}
      />
    </div>
  );
}
