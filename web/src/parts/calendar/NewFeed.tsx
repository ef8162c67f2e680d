import { Button, Code, Group, Text } from '@mantine/core';
import { CalendarPlus } from 'lucide-react';
import type { CalendarFeedCreated } from '@/api';
import { CopyButton } from '@/parts/CopyButton';
import { ShowOnce } from '@/parts/ShowOnce';
import styles from '@/parts/styles.module.css';

const OTHERS = [
  { name: 'textUrl', form: 'text', label: 'For telephone systems (.txt): who is on call now, a name a line' },
  { name: 'jsonUrl', form: 'JSON', label: 'For scripts (.json): who is on call now, and the shifts' },
] as const;

/** The addresses of a new feed, which are shown once. */
export function NewFeed({ made, onClose }: { made: CalendarFeedCreated | null; onClose: () => void }) {
  const shown = { label: 'For calendar programs (.ics): subscribe to this address', copy: 'Copy the calendar address' };
  return (
    <ShowOnce title="Calendar address" secret={made && { ...shown, value: made.icsUrl }} onClose={onClose}>
      {made && (
        <>
          {OTHERS.map(({ name, form, label: text }) => (
            <div key={name}>
              <Text size="sm" fw={600}>
                {text}
              </Text>
              <Group gap={4} wrap="nowrap">
                <Code block flex={1} miw={0} className={styles.verbatim}>
                  {made[name]}
                </Code>
                <CopyButton value={made[name]} label={`Copy the ${form} address`} />
              </Group>
            </div>
          ))}
          <Text size="sm" className="soft">
            Whoever knows an address reads names and times of shifts, and nothing else. Calendar programs reread it once
            an hour to once a day.
          </Text>
          <Group>
            <Button
              component="a"
              href={made.icsUrl.replace(/^https?:/, 'webcal:')}
              variant="default"
              leftSection={<CalendarPlus size={15} aria-hidden />}
              mih="var(--target)"
            >
              Open in the calendar program
            </Button>
          </Group>
        </>
      )}
    </ShowOnce>
  );
}
