import { Alert, Button, Code, Group, List, Text } from '@mantine/core';
import { TriangleAlert } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { isProblem, message, retryAt, sentence } from '@/lib/requests/problems';
import { CopyButton } from '@/parts/CopyButton';

/** A refusal or a fault in words, with what to do. */
export function ProblemAlert({ fault, onRetry }: { fault: unknown; onRetry?: () => void }) {
  const shown = isProblem(fault) ? fault : null;
  const faults = shown?.errors?.filter((each) => each.detail) ?? [];
  const wait = useSecondsUntil(retryAt(fault));
  return (
    <Alert color="red" variant="outline" icon={<TriangleAlert size={18} aria-hidden />} role="alert">
      <Text size="sm">{message(fault)}</Text>
      {faults.length > 0 && (
        <List size="sm" mt={4}>
          {faults.map((each) => (
            <List.Item key={each.pointer + each.detail}>
              {each.pointer && <Code>{each.pointer}</Code>} {sentence(each.detail)}
            </List.Item>
          ))}
        </List>
      )}
      {(shown !== null || onRetry) && (
        <Group gap="xs" mt="xs">
          {onRetry && (
            <Button size="xs" variant="default" onClick={onRetry} disabled={wait > 0}>
              {wait > 0 ? `Try again in ${wait} s` : 'Try again'}
            </Button>
          )}
          {shown !== null && shown.status >= 500 && (
            <Group gap={4}>
              <Text size="xs" className="soft">
                Request <span className="mono">{shown.requestId}</span>
              </Text>
              <CopyButton value={shown.requestId} label="Copy the request id" />
            </Group>
          )}
        </Group>
      )}
    </Alert>
  );
}

/** The seconds that are left until then, counted down. */
function useSecondsUntil(moment: number | null): number {
  const [now, setNow] = useState(Date.now);
  const left = moment === null ? 0 : Math.ceil((moment - now) / 1000);
  useEffect(() => {
    if (left <= 0) return;
    const timer = setTimeout(() => setNow(Date.now()), 1000);
    return () => clearTimeout(timer);
  }, [left, now]);
  return Math.max(0, left);
}

/** The faults of a form that belong to no field. The alert takes the focus when it appears. */
export function FormSummary({ faults }: { faults: readonly string[] }) {
  const box = useRef<HTMLDivElement>(null);
  const text = faults.join('\n');
  useEffect(() => {
    if (text) box.current?.focus();
  }, [text]);
  if (faults.length === 0) return null;
  return (
    <Alert
      ref={box}
      tabIndex={-1}
      color="red"
      variant="outline"
      role="alert"
      icon={<TriangleAlert size={18} aria-hidden />}
    >
      {faults.map((each) => (
        <Text size="sm" key={each}>
          {each}
        </Text>
      ))}
    </Alert>
  );
}
