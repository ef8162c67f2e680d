/** A fault of a match as text: what is wrong, the part of the text around it, and where in that part. */
export type Pointed = { detail: string; part: string; at: number; length: number };

const POSITION = /^at character (\d+): /i;
const BEFORE = 32;
const AFTER = 40;

/** Reads "At character 25: unknown field …" of the service; null where a fault names no character. */
export function pointed(fault: string, text: string): Pointed | null {
  const position = POSITION.exec(fault);
  if (!position) return null;
  const characters = [...text];
  const place = Math.min(Number(position[1]) - 1, characters.length);
  const lineStart = characters.lastIndexOf('\n', place - 1) + 1;
  const lineEnd = characters.indexOf('\n', place);
  const start = Math.max(place > 0 ? lineStart : 0, place - BEFORE);
  const end = Math.min(lineEnd < 0 ? characters.length : lineEnd, place + AFTER);
  const rest = characters.slice(place, end).join('');
  const detail = fault.slice(position[0].length);
  return {
    detail: detail.charAt(0).toUpperCase() + detail.slice(1),
    part: (start > lineStart ? '…' : '') + characters.slice(start, end).join(''),
    at: place - start + (start > lineStart ? 1 : 0),
    length: Math.max(1, [...(/^[\w.]+/.exec(rest)?.[0] ?? '')].length),
  };
}
