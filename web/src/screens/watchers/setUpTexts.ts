import type { Snippet } from '@/lib/configuration/sending';

const KEY = 'svc_src_your_key';

/** Ready text that watches a host: one line, a service of systemd, and cron. */
export function setUpSnippets(base: string): Snippet[] {
  return [
    {
      name: 'line',
      label: 'One line',
      text: lineText(base),
      expect: 'The host appears here after its first check-in.',
    },
    {
      name: 'systemd',
      label: 'systemd',
      text: systemdText(base),
      expect: 'Run it as root. The service starts on boot and restarts after a failure.',
    },
    {
      name: 'cron',
      label: 'cron',
      text: cronText(base),
      expect: 'The host checks in every five minutes. Put the key into /etc/inbox.key first.',
    },
  ];
}

function lineText(base: string): string {
  return `curl -fsSO ${base}/inbox.py && INBOX_SOURCE_KEY=${KEY} python3 inbox.py watch --address ${base}`;
}

function systemdText(base: string): string {
  return `install -m 600 /dev/null /etc/inbox.key && echo ${KEY} > /etc/inbox.key
curl -fsS -o /usr/local/bin/inbox.py ${base}/inbox.py
cat > /etc/systemd/system/inbox-watch.service <<'END'
[Unit]
Description=Incident Inbox watcher
After=network-online.target
[Service]
ExecStart=/usr/bin/python3 /usr/local/bin/inbox.py watch --address ${base} --key-file /etc/inbox.key
Restart=always
[Install]
WantedBy=multi-user.target
END
systemctl enable --now inbox-watch`;
}

function cronText(base: string): string {
  return `# Edit with: crontab -e
*/5 * * * * python3 /usr/local/bin/inbox.py watch --once --interval 300 --address ${base} --key-file /etc/inbox.key`;
}
