import { Text } from '@mantine/core';
import { ShowOnce } from '@/parts/ShowOnce';

/** Ten codes, shown once. */
export function RecoveryCodes({ codes, onClose }: { codes: string[] | null; onClose: () => void }) {
  const secret = codes && { label: 'Recovery codes', value: codes.join('\n'), fileName: 'inbox-recovery-codes.txt' };
  return (
    <ShowOnce title="Recovery codes" secret={secret} onClose={onClose}>
      <Text size="sm">
        Each code replaces your second factor once, if you do not have your phone or passkey with you.
      </Text>
    </ShowOnce>
  );
}
