import { scheduleVersionsList, scheduleVersionsRevert, type ScheduleFields, type ScheduleRecord } from '@/api';
import { useMembers } from '@/lib/configuration/members';
import { refresh } from '@/lib/requests/refresh';
import { useWorkspace } from '@/lib/session/workspace';
import { listed } from '@/lib/words/words';
import { History } from '@/parts/history/History';
import { say } from '@/parts/toast';
import { rotationText } from '@/screens/on-call/draft';
import { CHANGED } from '@/screens/on-call/useSchedules';

/** The versions of a schedule. A revert applies from now on. */
export function ScheduleHistory({ schedule }: { schedule: ScheduleRecord }) {
  const { can } = useWorkspace();
  const members = useMembers();
  const path = { schedule_id: schedule.id };
  const load = async () => {
    const { data } = await scheduleVersionsList({ path, throwOnError: true });
    return data.items.map(({ rev, at, actor, schedule: fields }) => ({
      rev,
      at,
      actor,
      text: fieldsText(fields, members.of),
    }));
  };
  const revert = async (rev: number, newest: number) => {
    await scheduleVersionsRevert({
      path,
      body: { rev },
      headers: { 'If-Match': `"${newest}"` },
      throwOnError: true,
    });
    say(`Version ${rev} is in use again`);
    await refresh(...CHANGED);
  };
  return <History noun="schedule" id={schedule.id} load={load} onRevert={can('admin') ? revert : null} />;
}

function fieldsText({ name, timezone, layers }: ScheduleFields, nameOf: (id: string) => string): string {
  const lines = layers.map(
    (layer) =>
      `${layer.name}: ${rotationText(layer)}: ${layer.members.map((turn) => listed(turn.map(nameOf)) || 'nobody').join(', ')}`,
  );
  return [`${name} (${timezone})`, ...lines].join('\n');
}
