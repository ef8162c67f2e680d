import { useEffect, useRef, useState, type MouseEvent } from 'react';
import classes from '@/parts/SectionIndex.module.css';

type Entry = { id: string; title: string };

/** Links to the sections of a long page, which stand beside it. */
export function SectionIndex() {
  const own = useRef<HTMLElement>(null);
  const [entries, setEntries] = useState<Entry[]>([]);
  useEffect(() => {
    const page = own.current?.parentElement;
    if (!page) return;
    const read = () => {
      const found = [...page.querySelectorAll<HTMLElement>('section[aria-labelledby] h2[id]')].map(
        ({ id, innerText }) => ({
          id,
          title: innerText,
        }),
      );
      setEntries((before) => (JSON.stringify(before) === JSON.stringify(found) ? before : found));
    };
    read();
    // Some sections appear when their record was read.
    const observer = new MutationObserver(read);
    observer.observe(page, { childList: true, subtree: true });
    return () => observer.disconnect();
  }, []);
  return (
    <nav ref={own} aria-label="On this page" className={classes.index}>
      {entries.map(({ id, title }) => (
        <a key={id} href={`#${id}`} className={classes.link} onClick={(event) => show(event, id)}>
          {title}
        </a>
      ))}
    </nav>
  );
}

/** Moves to the section without a step back in the history, which a form with changes would ask about. */
function show(event: MouseEvent, id: string): void {
  event.preventDefault();
  const heading = document.getElementById(id);
  if (!heading) return;
  heading.tabIndex = -1;
  heading.focus({ preventScroll: true });
  heading.scrollIntoView();
}
