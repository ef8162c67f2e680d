import { Button, Group } from '@mantine/core';

type Props = { label: string; isSaving: boolean; isComplete?: boolean; onDiscard: () => void };

/** Saves or discards the changes of a section, while it has some. */
export function DraftButtons({ label, isSaving, isComplete = true, onDiscard }: Props) {
  return (
    <Group gap="xs">
      <Button type="submit" mih="var(--target)" loading={isSaving} disabled={!isComplete}>
        {label}
      </Button>
      <Button variant="default" mih="var(--target)" onClick={onDiscard}>
        Discard
      </Button>
    </Group>
  );
}
