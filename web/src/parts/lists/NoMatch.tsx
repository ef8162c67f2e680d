import { Button } from '@mantine/core';
import { SearchX } from 'lucide-react';
import { EmptyState } from '@/parts/EmptyState';

/** A search that finds nothing, with the way back to the whole list. */
export function NoMatch({ title, onClear }: { title: string; onClear: () => void }) {
  return (
    <EmptyState
      icon={SearchX}
      title={title}
      action={
        <Button variant="default" onClick={onClear}>
          Clear the search
        </Button>
      }
    />
  );
}
