import type { HeartbeatSchedule } from '@/api';
import type { Snippet } from '@/lib/configuration/sending';

/** Placeholder for a ping address that is no longer shown. */
export function placeholder(base: string): string {
  return `${base}/v1/heartbeats/svc_hb_your_token`;
}

/** Ready text that pings a monitor from the usual places of jobs. */
export function pingSnippets(ping: string, schedule: HeartbeatSchedule): Snippet[] {
  return [
    {
      name: 'curl',
      label: 'curl',
      text: curlText(ping),
      expect: 'Every ping returns OK. The exit code of the job decides: 0 is a success, anything else is a failure.',
    },
    {
      name: 'cron',
      label: 'cron',
      text: cronText(ping, schedule),
      expect: 'Pings with the exit code of the job. A failed job opens an incident immediately.',
    },
    {
      name: 'systemd',
      label: 'systemd',
      text: systemdText(ping),
      expect: 'systemd passes the result of the service in EXIT_STATUS. A signal name is sent as a failure.',
    },
    {
      name: 'python',
      label: 'Python',
      text: pythonText(ping),
      expect: 'Needs only the standard library. A failed ping does not stop the job.',
    },
    {
      name: 'powershell',
      label: 'PowerShell',
      text: powershellText(ping),
      expect: 'Runs in Windows PowerShell 5.1 and PowerShell 7.',
    },
  ];
}

function curlText(ping: string): string {
  return `PING=${ping}
curl -fsS -m 10 --retry 5 -o /dev/null "$PING/start"
/usr/local/bin/backup.sh > backup.log 2>&1; code=$?
tail -c 10000 backup.log | curl -fsS -m 10 --retry 5 -o /dev/null --data-binary @- "$PING/$code"`;
}

function cronText(ping: string, schedule: HeartbeatSchedule): string {
  const when = schedule.kind === 'cron' ? schedule.expression : '*/10 * * * *';
  return `# Edit with: crontab -e
PING=${ping}
${when} /usr/local/bin/backup.sh; curl -fsS -m 10 --retry 5 -o /dev/null $PING/$?`;
}

function systemdText(ping: string): string {
  return `#!/bin/sh
# /usr/local/bin/ping-result, executable. In the unit of the job:
#   [Service]
#   ExecStopPost=/usr/local/bin/ping-result
PING=${ping}
case "$EXIT_STATUS" in
    ''|*[!0-9]*) code=fail ;;
    *) code=$EXIT_STATUS ;;
esac
exec curl -fsS -m 10 --retry 5 -o /dev/null "$PING/$code"`;
}

function pythonText(ping: string): string {
  return `import subprocess
import urllib.request

PING = "${ping}"


def ping(signal, text=b""):
    try:
        urllib.request.urlopen(f"{PING}/{signal}", data=text, timeout=10).close()
    except OSError as fault:
        print("the ping failed:", fault)


ping("start")
job = subprocess.run(["/usr/local/bin/backup.sh"], capture_output=True)
ping(job.returncode if 0 <= job.returncode <= 255 else "fail", (job.stdout + job.stderr)[-10_000:])`;
}

function powershellText(ping: string): string {
  return `$Ping = "${ping}"
Invoke-RestMethod -Uri "$Ping/start" -TimeoutSec 10 | Out-Null
& C:\\Jobs\\backup.exe
$Signal = if ($LASTEXITCODE -eq 0) { "0" } else { "fail" }
Invoke-RestMethod -Uri "$Ping/$Signal" -TimeoutSec 10 | Out-Null`;
}
