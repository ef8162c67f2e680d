import { Select, TagsInput } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { incidentsEdit, incidentsRead, type IncidentEdit, type IncidentRecord } from '@/api';
import { membersListOptions } from '@/api/@tanstack/react-query.gen';
import { untilSaved } from '@/lib/requests/changeFields';
import { refresh } from '@/lib/requests/refresh';
import { Serial } from '@/lib/requests/serial';
import { useWorkspace } from '@/lib/session/workspace';
import { sayFault } from '@/parts/toast';
import { mergedTags } from '@/screens/incidents/tags';

const MOST_TAGS = 20;
const LONGEST_TAG = 64;
const NOBODY = '';

/** Changes one field of an incident at once. The answer of the service decides what is shown. */
function useEdit<Value>(save: (value: Value) => Promise<unknown>): {
  save: (value: Value) => void;
  isPending: boolean;
} {
  const edit = useMutation({
    mutationFn: save,
    onError: sayFault,
    onSettled: () => refresh('incidentsRead', 'incidentsList', 'incidentsTimeline', 'incidentsCounts'),
  });
  return { save: edit.mutate, isPending: edit.isPending };
}

/** Adds and removes tags. Those that somebody else adds or removes meanwhile stay so. */
function saveTags(id: IncidentRecord['id'], before: readonly string[], tags: readonly string[]): Promise<void> {
  const path = { incident_id: id };
  return untilSaved(async () => {
    const { data: now } = await incidentsRead({ path, throwOnError: true });
    const body = { tags: mergedTags(before, tags, now.tags) };
    await incidentsEdit({ path, headers: { 'If-Match': `"${now.rev}"` }, body, throwOnError: true });
  });
}

/** The field of the assignee. */
export function Assignee({ incident }: { incident: IncidentRecord }) {
  const { workspace } = useWorkspace();
  const members = useQuery(
    membersListOptions({ path: { workspace_id: workspace.id }, query: { limit: 200, sort: 'name', order: 'asc' } }),
  );
  const { save, isPending } = useEdit((assigneeId: IncidentEdit['assigneeId']) =>
    incidentsEdit({ path: { incident_id: incident.id }, body: { assigneeId }, throwOnError: true }),
  );
  const people = (members.data?.items ?? []).map((each) => ({ value: each.userId, label: each.name }));
  const assigned = incident.assigneeId ?? NOBODY;
  const isListed = assigned === NOBODY || people.some((each) => each.value === assigned);
  const former = isListed ? [] : [{ value: assigned, label: incident.assignee?.name ?? 'A former member' }];
  return (
    <Select
      aria-label="Assignee"
      size="xs"
      searchable={people.length > 8}
      allowDeselect={false}
      disabled={isPending}
      data={[{ value: NOBODY, label: 'Nobody' }, ...former, ...people]}
      value={assigned}
      onChange={(chosen) => save(chosen === NOBODY ? null : chosen)}
    />
  );
}

/** The visible tags: the person's choice while it is saved, else the tags of the incident. */
function useTags({ id, tags }: IncidentRecord): { shown: string[]; choose: (tags: string[]) => void } {
  const [chosen, setChosen] = useState<string[] | null>(null);
  const saves = useRef(new Serial());
  const shown = chosen ?? tags;
  const choose = (next: string[]) => {
    setChosen(next);
    void saves.current
      .run(async () => {
        await saveTags(id, shown, next).catch(sayFault);
        await refresh('incidentsRead', 'incidentsList', 'incidentsTimeline');
      })
      .then(() => saves.current.isIdle && setChosen(null));
  };
  return { shown, choose };
}

/** The field of the tags. Further ones can be added while the earlier ones are saved. */
export function Tags({ incident }: { incident: IncidentRecord }) {
  const { shown, choose } = useTags(incident);
  return (
    <TagsInput
      aria-label="Tags"
      size="xs"
      placeholder={shown.length === 0 ? 'Add a tag' : undefined}
      maxTags={MOST_TAGS}
      maxLength={LONGEST_TAG}
      value={shown}
      onChange={choose}
    />
  );
}
