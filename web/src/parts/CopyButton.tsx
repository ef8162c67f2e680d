import { ActionIcon, Button } from '@mantine/core';
import { useClipboard } from '@mantine/hooks';
import { Check, Copy } from 'lucide-react';
import styles from '@/parts/styles.module.css';

/** The icon is higher than a line of text; beside text it must not move the line. */
type Props = { value: string; label?: string; word?: string; inline?: boolean };

/** Copies a text. With `word` it is a button with that word, else an icon; `inline` beside text in a line. */
export function CopyButton({ value, label = 'Copy', word, inline = false }: Props) {
  const clipboard = useClipboard({ timeout: 2000 });
  const icon = clipboard.copied ? <Check size={15} aria-hidden /> : <Copy size={15} aria-hidden />;
  const copy = () => copyText(value, clipboard.copy);
  if (word !== undefined) {
    return (
      <Button variant="default" leftSection={icon} onClick={copy}>
        {clipboard.copied ? 'Copied' : word}
      </Button>
    );
  }
  return (
    <ActionIcon
      aria-label={clipboard.copied ? 'Copied' : label}
      title={clipboard.copied ? 'Copied' : label}
      onClick={copy}
      className={inline ? styles.withinLine : undefined}
    >
      {icon}
    </ActionIcon>
  );
}

/** Addresses that are neither https nor of this machine have no clipboard; a selected field is copied there instead. */
function copyText(value: string, copy: (value: string) => void): void {
  if ('clipboard' in navigator) return copy(value);
  const field = document.createElement('textarea');
  field.value = value;
  document.body.append(field);
  field.select();
  document.execCommand('copy');
  field.remove();
}
