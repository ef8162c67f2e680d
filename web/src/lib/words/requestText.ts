import type { SentRequestRecord } from '@/api';

/** A request as it was sent, its JSON in lines. */
export function requestText({ method, url, headers, body }: SentRequestRecord): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return [`${method} ${url}`, ...lines, '', indented(body)].join('\n');
}

function indented(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 2);
  } catch {
    return body;
  }
}
