import { Anchor, Button, Group } from '@mantine/core';
import { BookOpen, ExternalLink } from 'lucide-react';
import { useState } from 'react';
import { Link } from 'wouter';
import { type Content, type Label, linksOf, tableOf } from '@/lib/events/content';
import { useOptionalWorkspace } from '@/lib/session/workspace';
import { counted } from '@/lib/words/words';
import { CopyButton } from '@/parts/CopyButton';
import classes from '@/parts/events/EventContent.module.css';
import { LinkedText } from '@/parts/events/LinkedText';
import styles from '@/parts/styles.module.css';

const LINES = 12;
const LETTERS = 1_200;
const LABELS = 8;
/** What the filter by a label takes. */
const LONGEST_SOUGHT = 512;
const DEEPEST_SOUGHT = 6;

/** What the sender says: the text, its links, and its labels as a table. Long ones are cut until a person unfolds them. */
export function EventContent({ content, runbook = null }: { content: Content; runbook?: string | null }) {
  const links = linksOf(content, runbook);
  return (
    <>
      {content.body && <Body key={content.body} text={content.body} />}
      {links.length > 0 && (
        <Group gap="xs" my={8}>
          {links.map(({ label, href }) => (
            <Button
              key={label}
              component="a"
              href={href}
              target="_blank"
              rel="noreferrer noopener"
              variant="default"
              mih="var(--target)"
              leftSection={label === 'Runbook' && <BookOpen size={15} aria-hidden />}
              rightSection={<ExternalLink size={14} aria-hidden />}
            >
              {label}
            </Button>
          ))}
        </Group>
      )}
      <Labels labels={tableOf(content)} />
    </>
  );
}

function Body({ text }: { text: string }) {
  const [isWhole, setWhole] = useState(false);
  const short = beginning(text);
  return (
    <>
      <p className={`${styles.verbatim} ${classes.body}`}>
        <LinkedText>{isWhole ? text : short}</LinkedText>
        {!isWhole && short !== text && '…'}
      </p>
      {short !== text && (
        <Unfold isOpen={isWhole} onChange={setWhole} open="Show the whole text" close="Show less of the text" />
      )}
    </>
  );
}

/** The first lines of a text. */
function beginning(text: string): string {
  const lines = text.split('\n');
  const short = lines.length > LINES + 2 ? lines.slice(0, LINES).join('\n') : text;
  return short.length > LETTERS + 200 ? short.slice(0, LETTERS) : short;
}

function Labels({ labels }: { labels: Label[] }) {
  const [isWhole, setWhole] = useState(false);
  if (labels.length === 0) return null;
  const isLong = labels.length > LABELS + 2;
  const shown = isLong && !isWhole ? labels.slice(0, LABELS) : labels;
  return (
    <div className={classes.labels}>
      <dl className={classes.table}>
        {shown.map((label) => (
          <div key={label.name} className={classes.label}>
            <dt>
              <LabelName of={label} />
            </dt>
            <dd>
              <LinkedText>{label.value}</LinkedText>
            </dd>
          </div>
        ))}
      </dl>
      <CopyButton value={labels.map(({ name, value }) => `${name}: ${value}`).join('\n')} label="Copy the labels" />
      {isLong && (
        <Unfold
          isOpen={isWhole}
          onChange={setWhole}
          open={`Show all ${counted(labels.length, 'label')}`}
          close="Show fewer labels"
        />
      )}
    </div>
  );
}

/** The name of a label, which leads to the events with its value. */
function LabelName({ of: { name, value, isJoined } }: { of: Label }) {
  const workspace = useOptionalWorkspace();
  const label = `${name}=${value}`;
  const isSought = !isJoined && label.length <= LONGEST_SOUGHT && name.split('.').length <= DEEPEST_SOUGHT;
  if (!workspace || !isSought) return name;
  const href = `/w/${workspace.slug}/events?${new URLSearchParams({ label })}`;
  return (
    <Link href={href} title={`Show events with ${label}`} className={classes.labelName}>
      {name}
    </Link>
  );
}

type UnfoldProps = { isOpen: boolean; onChange: (isOpen: boolean) => void; open: string; close: string };

/** The button that shows the rest, and hides it again. */
export function Unfold({ isOpen, onChange, open, close }: UnfoldProps) {
  return (
    <Anchor
      component="button"
      type="button"
      size="sm"
      className={styles.inlineTarget}
      aria-expanded={isOpen}
      onClick={() => onChange(!isOpen)}
    >
      {isOpen ? close : open}
    </Anchor>
  );
}
