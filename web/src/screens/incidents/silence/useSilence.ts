import { keepPreviousData, useMutation, useQuery } from '@tanstack/react-query';
import { silencesCreate, type IncidentRecord, silencesEnd, silencesPreview } from '@/api';
import { likeness, type SilenceScope } from '@/lib/incidents/silenceLike';
import { refresh } from '@/lib/requests/refresh';
import { message } from '@/lib/requests/problems';
import { useWorkspace } from '@/lib/session/workspace';
import { sayFault, sayWithUndo } from '@/parts/toast';
import { coverageText } from '@/screens/incidents/silence/coverageText';

/** What the silence would cover, in one sentence. */
export function useCoverage({ sourceId }: IncidentRecord, { match }: SilenceScope): string {
  const { workspace } = useWorkspace();
  const body = { workspaceId: workspace.id, matchText: match, sourceIds: [sourceId] };
  const preview = useQuery({
    queryKey: ['silencePreview', workspace.id, JSON.stringify(body)],
    queryFn: async ({ signal }) => (await silencesPreview({ body, throwOnError: true, signal })).data,
    staleTime: 15_000,
    retry: false,
    placeholderData: keepPreviousData,
  });
  if (preview.error) return message(preview.error);
  return preview.data ? coverageText(preview.data) : 'Calculating what it mutes…';
}

/** Creates the silence. It can be ended again while its message is shown. */
export function useSilence(incident: IncidentRecord, onDone: () => void) {
  const { workspace } = useWorkspace();
  return useMutation({
    mutationFn: async ({ scope, until }: { scope: SilenceScope; until: Date }) => {
      const body = {
        workspaceId: workspace.id,
        matchText: scope.match,
        sourceIds: [incident.sourceId],
        comment: likeness([incident]),
        endsAt: until.toISOString(),
      };
      return (await silencesCreate({ body, throwOnError: true })).data;
    },
    onSuccess: ({ id }) => {
      onDone();
      sayWithUndo('Silence created', () => {
        silencesEnd({ path: { silence_id: id }, throwOnError: true })
          .then(refreshSilences)
          .catch(sayFault);
      });
      void refreshSilences();
    },
    onError: sayFault,
  });
}

function refreshSilences() {
  return refresh('silencesList', 'incidentsRead', 'incidentsList', 'incidentsCounts', 'incidentsTimeline');
}
