import { below } from '@/lib/navigation/base';

/** Ready text that sends events, with the address of this service and a key. */
export type Snippet = { name: string; label: string; text: string; expect: string };

/** Placeholder for a key that is not known. */
export const KEY_VARIABLE = '$INBOX_KEY';

const DEDUP_KEY = 'first-event';

/** One `curl` command. In a shell, a key that is a variable stands in double quotes. */
export function curlText(base: string, key: string, event: Record<string, string>): string {
  return [
    `curl ${base}/v1/events \\`,
    `  -H "Authorization: Bearer ${key}" \\`,
    '  -H "Content-Type: application/json" \\',
    `  -d '${JSON.stringify(event)}'`,
  ].join('\n');
}

export const TRIGGER = { title: 'Disk is almost full', severity: 'ERROR', dedupKey: DEDUP_KEY };
export const TRIGGER_SECOND = { title: 'Backup failed', severity: 'ERROR', dedupKey: 'second-event' };
export const RESOLVE_SECOND = {
  title: 'Backup done',
  severity: 'SUCCESS',
  dedupKey: 'second-event',
  action: 'resolve',
};
export const RESOLVE = { title: 'Disk has room again', severity: 'SUCCESS', dedupKey: DEDUP_KEY, action: 'resolve' };

export function snippets(base: string, key: string): Snippet[] {
  return [
    {
      name: 'curl',
      label: 'curl',
      text: curlText(base, key, TRIGGER),
      expect: 'The API answers 202 with the event id. With the initial default route, the event opens an incident.',
    },
    {
      name: 'resolve',
      label: 'curl: resolve',
      text: curlText(base, key, RESOLVE),
      expect: 'Resolves the incident with the same dedupKey.',
    },
    {
      name: 'python',
      label: 'Python',
      text: pythonText(base, key),
      expect: 'Prints 202. Needs only the standard library.',
    },
    {
      name: 'cron',
      label: 'cron',
      text: cronText(base, key),
      expect: 'A failed run opens an incident. The next successful run resolves it.',
    },
  ];
}

/** Sends one event as a sender does: with the key alone, without the session of this browser. */
export async function sendEvent(key: string, event: Record<string, string>): Promise<void> {
  const answer = await fetch(below('/v1/events'), {
    method: 'POST',
    credentials: 'omit',
    headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
    body: JSON.stringify(event),
  });
  if (!answer.ok) throw await answer.json();
}

function pythonText(base: string, key: string): string {
  const value = key === KEY_VARIABLE ? 'os.environ["INBOX_KEY"]' : JSON.stringify(key);
  return `import json
import os
import urllib.request

KEY = ${value}


def send(title, **fields):
    request = urllib.request.Request(
        "${base}/v1/events",
        data=json.dumps({"title": title, **fields}).encode(),
        headers={"Authorization": f"Bearer {KEY}", "Content-Type": "application/json"},
    )
    with urllib.request.urlopen(request, timeout=10) as answer:
        return answer.status


print(send("Disk is almost full", severity="ERROR", resource=f"host:{os.uname().nodename}", dedupKey="disk"))`;
}

function cronText(base: string, key: string): string {
  const assignment = key === KEY_VARIABLE ? '# Put the key here.\nINBOX_KEY=svc_src_...' : `INBOX_KEY=${key}`;
  const body =
    '{\\"title\\":\\"Backup failed\\",\\"severity\\":\\"ERROR\\",\\"dedupKey\\":\\"cron:backup\\",\\"action\\":\\"$A\\"}';
  return `# Edit with: crontab -e
${assignment}
0 3 * * * if /usr/local/bin/backup; then A=resolve; else A=trigger; fi; curl -fsS -m 10 --retry 5 ${base}/v1/events -H "Authorization: Bearer $INBOX_KEY" -H "Content-Type: application/json" -d "${body}"`;
}
