import { Button, Group } from '@mantine/core';

type AnswersProps = { label: string; color?: string; busy: boolean; onCancel: () => void; onConfirm: () => void };

/** The two buttons at the foot of a question. */
export function Answers({ label, color, busy, onCancel, onConfirm }: AnswersProps) {
  return (
    <Group justify="flex-end" mt="md">
      <Button variant="default" onClick={onCancel}>
        Cancel
      </Button>
      <Button color={color} loading={busy} onClick={onConfirm} data-autofocus>
        {label}
      </Button>
    </Group>
  );
}
