import { useMutation } from '@tanstack/react-query';
import type { MonitorRecord } from '@/api';
import {
  heartbeatMonitorsPauseMutation,
  heartbeatMonitorsPingMutation,
  heartbeatMonitorsResumeMutation,
} from '@/api/@tanstack/react-query.gen';
import { queries } from '@/lib/requests/queries';
import { refresh } from '@/lib/requests/refresh';
import { say, sayFault, sayWithUndo } from '@/parts/toast';

/** Shows the answer of an act at once, and reads again what else it changed. */
export function show(monitor: MonitorRecord): void {
  queries.setQueriesData<MonitorRecord>(
    {
      predicate: ({ queryKey }) => {
        const [key] = queryKey as [{ _id?: string; path?: { monitor_id?: string } }?];
        return key?._id === 'heartbeatMonitorsRead' && key.path?.monitor_id === monitor.id;
      },
    },
    monitor,
  );
  void refresh('heartbeatMonitorsList', 'heartbeatMonitorsPings', 'heartbeatMonitorsFlips');
}

/** Ping, pause and resume. `done` is called when the service has answered. */
export function useActs(monitor: MonitorRecord) {
  const path = { monitor_id: monitor.id };
  const ping = useMutation({ ...heartbeatMonitorsPingMutation(), onError: sayFault });
  const pause = useMutation({ ...heartbeatMonitorsPauseMutation(), onError: sayFault });
  const resume = useMutation({ ...heartbeatMonitorsResumeMutation(), onError: sayFault });
  const doResume = (text: string) =>
    resume.mutate(
      { path },
      {
        onSuccess: (answer) => {
          show(answer);
          say(text);
        },
      },
    );
  return {
    ping: (done: () => void) =>
      ping.mutate(
        { path },
        {
          onSuccess: (answer) => {
            show(answer);
            say(`Ping sent to ${monitor.name}.`);
            done();
          },
        },
      ),
    pause: (done: () => void) =>
      pause.mutate(
        { path },
        {
          onSuccess: (answer) => {
            show(answer);
            sayWithUndo(`${monitor.name} is paused. No ping is expected.`, () =>
              doResume(`${monitor.name} expects pings again.`),
            );
            done();
          },
        },
      ),
    resume: () => doResume(`${monitor.name} expects pings again.`),
    isPending: ping.isPending || pause.isPending || resume.isPending,
  };
}
