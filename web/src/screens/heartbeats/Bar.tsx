import { Text } from '@mantine/core';
import { useState, type KeyboardEvent } from 'react';
import type { MonitorRecord } from '@/api';
import { clock } from '@/lib/time/time';
import { OUTCOMES } from '@/parts/heartbeats/words';
import classes from '@/screens/heartbeats/Heartbeats.module.css';
import { barText, type Cell, cellsOf, cellWord, PERIODS } from '@/screens/heartbeats/periods';

const HEIGHT = 20;
const STEP = 4;
const WIDTH = 3;

/** The last runs of a monitor, small, for rows. */
export function Bar({ monitor }: { monitor: MonitorRecord }) {
  return (
    <svg
      viewBox={`0 0 ${PERIODS * STEP} ${HEIGHT}`}
      width={PERIODS * STEP}
      height={HEIGHT}
      role="img"
      aria-label={barText(monitor)}
      className={classes.bar}
    >
      <Cells cells={cellsOf(monitor)} />
    </svg>
  );
}

/**
 * The last runs of a monitor over the whole width. The pointer and the arrow keys choose a run, and the line below names it.
 */
export function WideBar({ monitor }: { monitor: MonitorRecord }) {
  const cells = cellsOf(monitor);
  const [chosen, setChosen] = useState<number | null>(null);
  const last = cells.length - 1;
  const at = Math.min(chosen ?? last, last);
  const cell = cells[at];
  if (!cell) {
    return (
      <Text size="sm" className="soft">
        No run yet. Each run becomes a mark here.
      </Text>
    );
  }
  const onKey = (event: KeyboardEvent) => {
    const next = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: last }[event.key];
    if (next === undefined) return;
    event.preventDefault();
    setChosen(Math.min(Math.max(next, 0), last));
  };
  const pick = (left: number, width: number, x: number) => {
    const place = Math.floor(((x - left) / width) * PERIODS) - (PERIODS - cells.length);
    setChosen(place >= 0 && place <= last ? place : null);
  };
  return (
    <div>
      <div
        role="slider"
        tabIndex={0}
        aria-label={`Last runs. ${barText(monitor)}`}
        aria-valuemin={1}
        aria-valuemax={cells.length}
        aria-valuenow={at + 1}
        aria-valuetext={inWords(cell)}
        className={classes.wide}
        onKeyDown={onKey}
        onPointerMove={(event) => {
          const box = event.currentTarget.getBoundingClientRect();
          pick(box.left, box.width, event.clientX);
        }}
        onPointerLeave={() => setChosen(null)}
      >
        <svg
          viewBox={`0 0 ${PERIODS * STEP} ${HEIGHT}`}
          preserveAspectRatio="none"
          width="100%"
          height={44}
          aria-hidden
        >
          <Cells cells={cells} chosen={chosen === null ? undefined : at} />
        </svg>
      </div>
      <Text size="sm" className="numbers" aria-hidden mt={4}>
        <span className="soft">{chosen === null ? 'Latest: ' : ''}</span>
        {inWords(cell)}
      </Text>
    </div>
  );
}

function inWords(cell: Cell): string {
  return cell.at === null ? cellWord(cell) : `${clock(cell.at)}, ${cellWord(cell)}`;
}

/** The marks, the newest at the right. Each outcome has a different shape, so that colour is never the only sign. */
function Cells({ cells, chosen }: { cells: readonly Cell[]; chosen?: number }) {
  const empty = PERIODS - cells.length;
  return (
    <>
      {Array.from({ length: empty }, (_, index) => (
        <rect key={index} x={index * STEP} y={HEIGHT - 2} width={WIDTH} height={2} fill="var(--line)" />
      ))}
      {cells.map((cell, index) => (
        <g key={empty + index} transform={`translate(${(empty + index) * STEP} 0)`}>
          {index === chosen && (
            <rect x={-0.5} y={0} width={WIDTH + 1} height={HEIGHT} fill="var(--text-soft)" opacity={0.35} />
          )}
          <Mark kind={cell.kind} />
        </g>
      ))}
    </>
  );
}

/** On time: full. Late: two thirds. Missed: a low stump. Failed: broken in the middle. */
export function Mark({ kind }: { kind: Cell['kind'] }) {
  switch (kind) {
    case 'on_time':
      return <rect width={WIDTH} height={HEIGHT} fill={OUTCOMES.on_time.colour} opacity={0.75} />;
    case 'late':
      return <rect y={7} width={WIDTH} height={HEIGHT - 7} fill={OUTCOMES.late.colour} />;
    case 'missed':
      return <rect y={HEIGHT - 6} width={WIDTH} height={6} fill={OUTCOMES.missed.colour} />;
    case 'failed':
      return (
        <>
          <rect width={WIDTH} height={8} fill={OUTCOMES.failed.colour} />
          <rect y={12} width={WIDTH} height={8} fill={OUTCOMES.failed.colour} />
        </>
      );
    case 'running':
      return (
        <>
          {[0, 6, 12].map((y) => (
            <rect key={y} y={y + 1} width={WIDTH} height={4} fill="var(--severity-info)" />
          ))}
        </>
      );
    case 'overdue':
      return (
        <>
          {[1, 7, 13].map((y) => (
            <rect key={y} y={y} width={WIDTH} height={2} fill="var(--severity-warning)" />
          ))}
        </>
      );
    case 'paused':
      return (
        <>
          <rect y={4} width={1.2} height={12} fill="var(--text-soft)" />
          <rect x={1.8} y={4} width={1.2} height={12} fill="var(--text-soft)" />
        </>
      );
  }
}
