export type Cell = string | number;

/** A table as CSV by RFC 4180. A text that a spreadsheet would take for a formula begins with an apostrophe. */
export function csv(head: readonly string[], rows: readonly (readonly Cell[])[]): string {
  return [head, ...rows].map((row) => row.map(quoted).join(',') + '\r\n').join('');
}

function quoted(cell: Cell): string {
  if (typeof cell === 'number') return String(cell);
  const safe = /^[=+\-@\t\r]/.test(cell) ? `'${cell}` : cell;
  return `"${safe.replaceAll('"', '""')}"`;
}
