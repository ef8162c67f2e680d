/** A sender's address is a link only where it leads to the web. */
export function isWeb(url: string): boolean {
  return /^https?:\/\//i.test(url);
}

export type LinkPart = { text: string; isLink: boolean };

const CLOSING = '.,;:!?)]}*_';

/** A text as parts: the addresses in it, and what is between them. Punctuation after an address is not part of it. */
export function linkParts(text: string): LinkPart[] {
  const parts: LinkPart[] = [];
  let done = 0;
  for (const found of text.matchAll(/https?:\/\/[^\s<>"'`|]+/gi)) {
    const address = withoutClosing(found[0]);
    if (address.endsWith('://')) continue;
    if (found.index > done) parts.push({ text: text.slice(done, found.index), isLink: false });
    parts.push({ text: address, isLink: true });
    done = found.index + address.length;
  }
  if (done < text.length) parts.push({ text: text.slice(done), isLink: false });
  return parts;
}

/** A closing parenthesis stays where the address has an opening one. */
function withoutClosing(address: string): string {
  let end = address.length;
  const hasOpening = address.includes('(');
  while (CLOSING.includes(address[end - 1]!) && !(hasOpening && address[end - 1] === ')')) end -= 1;
  return address.slice(0, end);
}
