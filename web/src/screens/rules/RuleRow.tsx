import { ActionIcon } from '@mantine/core';
import { ArrowDown, ArrowUp, GripVertical } from 'lucide-react';
import type { KeyboardEvent } from 'react';
import { Link } from 'wouter';
import type { RuleRecord } from '@/api';
import type { Names } from '@/lib/configuration/names';
import { narrowing, outcomeOf } from '@/lib/configuration/ruleWords';
import { TooCostly } from '@/parts/match/TooCostly';
import styles from '@/parts/styles.module.css';
import { TimeAgo } from '@/parts/TimeAgo';
import { EnabledSwitch } from '@/screens/rules/EnabledSwitch';
import classes from '@/screens/rules/Rules.module.css';

type Props = {
  rule: RuleRecord;
  index: number;
  count: number;
  names: Names;
  mayEdit: boolean;
  href: string;
  onMove: (to: number) => void;
  /** The drag of this rule began, or ended anywhere. */
  onDrag: (isDragged: boolean) => void;
  /** Something was dropped on this rule: the text that it carries. */
  onDrop: (text: string) => void;
};

export function RuleRow({ rule, index, count, names, mayEdit, href, onMove, onDrag, onDrop }: Props) {
  const narrowed = narrowing(rule, names);
  const onKey = (event: KeyboardEvent) => {
    if (!mayEdit || !event.altKey || (event.key !== 'ArrowUp' && event.key !== 'ArrowDown')) return;
    event.preventDefault();
    onMove(index + (event.key === 'ArrowUp' ? -1 : 1));
  };
  return (
    <li
      className={classes.row}
      data-disabled={!rule.enabled || undefined}
      onKeyDown={onKey}
      onDragOver={(event) => event.preventDefault()}
      onDrop={(event) => {
        event.preventDefault();
        onDrop(event.dataTransfer.getData('text/plain'));
      }}
    >
      <span className={classes.order}>
        {mayEdit && count > 1 && (
          <span
            className={classes.grip}
            draggable
            onDragStart={(event) => {
              event.dataTransfer.setData('text/plain', rule.id);
              onDrag(true);
            }}
            onDragEnd={() => onDrag(false)}
            title="Drag to move"
          >
            <GripVertical size={16} aria-hidden />
          </span>
        )}
        <span className="numbers soft">{index + 1}</span>
      </span>
      <div className={classes.what}>
        <Link href={href} data-title className={classes.name}>
          {rule.name}
        </Link>
        <TooCostly record={rule.tooCostly} />
        <p className={classes.sentence}>
          When <span className="mono">{rule.matchText}</span>
          {narrowed && <> {narrowed}</>}: <strong>{outcomeOf(rule, names)}</strong>
        </p>
      </div>
      <Hits rule={rule} />
      {mayEdit ? (
        <div className={classes.acts}>
          <EnabledSwitch rule={rule} />
          <ActionIcon
            title="Move up (Alt ↑)"
            aria-label={`Move ${rule.name} up`}
            disabled={index === 0}
            onClick={() => onMove(index - 1)}
          >
            <ArrowUp size={16} aria-hidden />
          </ActionIcon>
          <ActionIcon
            title="Move down (Alt ↓)"
            aria-label={`Move ${rule.name} down`}
            disabled={index === count - 1}
            onClick={() => onMove(index + 1)}
          >
            <ArrowDown size={16} aria-hidden />
          </ActionIcon>
        </div>
      ) : (
        <span className={`soft ${styles.small}`}>{rule.enabled ? '' : 'Disabled'}</span>
      )}
    </li>
  );
}

type HitsProps = {
  rule: RuleRecord;
};

/** How often the rule matched, and when it did last. */
function Hits({ rule }: HitsProps) {
  return (
    <div className={classes.hits}>
      <span className="numbers">{rule.matchedLast24h.toLocaleString()} in 24 h</span>
      <span className="soft">
        {rule.lastMatchedAt ? (
          <>
            last <TimeAgo at={rule.lastMatchedAt} />
          </>
        ) : (
          'never matched'
        )}
      </span>
    </div>
  );
}
