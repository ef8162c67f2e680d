import { Tabs, Text } from '@mantine/core';
import { KEY_VARIABLE, type Snippet } from '@/lib/configuration/sending';
import { CopyButton } from '@/parts/CopyButton';
import classes from '@/parts/Snippets.module.css';

/** A text to copy. Long lines scroll; they are never broken. */
export function CodeBlock({ text, label }: { text: string; label: string }) {
  return (
    <div className={classes.block}>
      <div className={classes.copy}>
        <CopyButton value={text} label={`Copy: ${label}`} />
      </div>
      <pre tabIndex={0} aria-label={label} className={classes.text}>
        {text}
      </pre>
    </div>
  );
}

/** Ready texts in tabs, each with what happens when it runs. */
export function Snippets({ items }: { items: Snippet[] }) {
  return (
    <Tabs defaultValue={items[0]?.name} keepMounted={false}>
      <Tabs.List mb="xs" aria-label="Ways to send">
        {items.map((each) => (
          <Tabs.Tab key={each.name} value={each.name} mih="var(--target)">
            {each.label}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {items.map((each) => (
        <Tabs.Panel key={each.name} value={each.name}>
          <CodeBlock text={each.text} label={each.label} />
          <Text size="sm" className="soft" mt={6}>
            {each.expect}
            {each.text.includes(KEY_VARIABLE) && each.name !== 'cron' ? (
              <>
                {' '}
                Set <span className="mono">INBOX_KEY</span> to a key of this source first.
              </>
            ) : null}
          </Text>
        </Tabs.Panel>
      ))}
    </Tabs>
  );
}
