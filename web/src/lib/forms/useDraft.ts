import { useLayoutEffect, useReducer, useRef, useState } from 'react';

/**
 * The text of a field whose value is stored elsewhere, such as in the address.
 *
 * 1. `type` changes the text at once and sends it after the pause, or at once without one.
 * 2. `follow` takes a value from outside, unless the value is one that this field sent or unless typed text waits to be sent.
 *    A late re-render with an older value therefore never replaces what the person typed since.
 */
export class Draft {
  text: string;
  private sent: string[] = [];
  private timer: ReturnType<typeof setTimeout> | undefined;

  /** `pauseMs` is in milliseconds. `stored` says what a typed text becomes outside, such as trimmed text. */
  constructor(
    private outside: string,
    private readonly send: (text: string) => void,
    private readonly pauseMs: number,
    private readonly stored: (text: string) => string = (text) => text,
  ) {
    this.text = outside;
  }

  type(text: string): void {
    this.text = text;
    this.cancel();
    if (this.pauseMs === 0) this.flush();
    else this.timer = setTimeout(() => this.flush(), this.pauseMs);
  }

  /** Sends the text without the rest of the pause. A value that is stored already is not sent again. */
  flush(): void {
    this.cancel();
    const value = this.stored(this.text);
    if (value === (this.sent.at(-1) ?? this.outside)) return;
    this.sent.push(value);
    this.send(value);
  }

  clear(): void {
    this.text = '';
    this.flush();
  }

  /** Answers whether the text has changed. */
  follow(outside: string): boolean {
    this.outside = outside;
    const echo = this.sent.lastIndexOf(outside);
    if (echo >= 0) {
      this.sent = this.sent.slice(echo + 1);
      return false;
    }
    if (this.timer !== undefined || outside === this.stored(this.text)) return false;
    this.sent = [];
    this.text = outside;
    return true;
  }

  cancel(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
  }
}

type Options = { pauseMs?: number; stored?: (text: string) => string };

/** A field with a draft of its own: what it shows, and what its events call. */
export function useDraft(outside: string, onChange: (text: string) => void, { pauseMs = 0, stored }: Options = {}) {
  const [, render] = useReducer((count: number) => count + 1, 0);
  const latest = useRef(onChange);
  latest.current = onChange;
  const [draft] = useState(() => new Draft(outside, (text) => latest.current(text), pauseMs, stored));
  useLayoutEffect(() => {
    if (draft.follow(outside)) render();
  }, [draft, outside]);
  useLayoutEffect(() => () => draft.cancel(), [draft]);
  return {
    text: draft.text,
    type: (text: string) => {
      draft.type(text);
      render();
    },
    flush: () => draft.flush(),
    clear: () => {
      draft.clear();
      render();
    },
  };
}
