import { defaultRangeExtractor, useWindowVirtualizer } from '@tanstack/react-virtual';
import { type Ref, useEffectEvent, useImperativeHandle, useLayoutEffect, useRef, useState } from 'react';
import type { IncidentRecord } from '@/api';
import { silenceLike } from '@/lib/incidents/silenceLike';
import classes from '@/screens/inbox/Inbox.module.css';
import { Row } from '@/screens/inbox/Row';

const ROW_HEIGHT = 52;
const AHEAD = 15;
const TRIES = 20;

export type RowListHandle = { focus: (id: string) => void };

type Props = {
  ref: Ref<RowListHandle>;
  label: string;
  isBusy: boolean;
  incidents: readonly IncidentRecord[];
  activity: ReadonlyMap<string, readonly number[]>;
  hrefOf: (path: string) => string;
  selected: ReadonlySet<string>;
  focused: string | null;
  mayAct: boolean;
  onSelect: (id: string, range: boolean) => void;
  onFocus: (id: string) => void;
};

/** The link before the filters leads here. */
const SKIPPED_TO = { id: 'incidents', tabIndex: -1 };

/** The rows of the inbox. Only those near the window are in the page, and the focused one, so that ten thousand scroll. */
export function RowList({
  ref,
  label,
  isBusy,
  incidents,
  activity,
  selected,
  focused,
  hrefOf,
  mayAct,
  onSelect,
  onFocus,
}: Props) {
  const list = useRef<HTMLUListElement>(null);
  const focusId = useRef<string | null>(null);
  const [scrollMargin, setScrollMargin] = useState(0);
  const measure = useEffectEvent(() => {
    const top = (list.current?.getBoundingClientRect().top ?? 0) + window.scrollY;
    if (Math.abs(top - scrollMargin) > 1) setScrollMargin(top);
  });
  // After each render: what is above the list may have grown.
  useLayoutEffect(() => measure());
  const focusedAt = focused === null ? -1 : incidents.findIndex((each) => each.id === focused);
  const virtual = useWindowVirtualizer({
    count: incidents.length,
    estimateSize: () => ROW_HEIGHT,
    overscan: AHEAD,
    scrollMargin,
    getItemKey: (index) => incidents[index]?.id ?? index,
    rangeExtractor: (range) => {
      const near = defaultRangeExtractor(range);
      return focusedAt < 0 || near.includes(focusedAt) ? near : [...near, focusedAt].sort((a, b) => a - b);
    },
  });
  useImperativeHandle(ref, () => ({
    focus: (id) => {
      const index = incidents.findIndex((each) => each.id === id);
      if (index < 0) return;
      virtual.scrollToIndex(index, { align: 'auto' });
      focusId.current = id;
      focusWhenShown(list.current, id, TRIES, () => focusId.current === id);
    },
  }));
  return (
    <ul
      {...SKIPPED_TO}
      className={`${classes.list} ${classes.rows}`}
      ref={list}
      aria-label={label}
      aria-busy={isBusy || undefined}
      style={{ height: virtual.getTotalSize() }}
    >
      {virtual.getVirtualItems().map(({ index, key, start }) => {
        const incident = incidents[index];
        if (!incident) return null;
        return (
          <li
            key={key}
            ref={virtual.measureElement}
            data-index={index}
            aria-setsize={incidents.length}
            aria-posinset={index + 1}
            className={classes.placed}
            style={{ top: start - scrollMargin }}
          >
            <Row
              incident={incident}
              href={hrefOf(`incidents/${incident.id}`)}
              silenceHref={hrefOf(silenceLike(incident))}
              activity={activity.get(incident.id)}
              selected={selected.has(incident.id)}
              mayAct={mayAct}
              onSelect={onSelect}
              onFocus={onFocus}
            />
          </li>
        );
      })}
    </ul>
  );
}

/** A row that was far away is in the page some frames later. A newer wish ends the older one. */
function focusWhenShown(list: HTMLElement | null, id: string, tries: number, isWanted: () => boolean): void {
  if (!isWanted()) return;
  const title = list?.querySelector<HTMLElement>(`[data-incident="${id}"] [data-title]`);
  if (title) title.focus();
  else if (tries > 0) requestAnimationFrame(() => focusWhenShown(list, id, tries - 1, isWanted));
}
