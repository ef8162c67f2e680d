import { Stack } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { ImportPlan, ImportResult } from '@/api';
import {
  importsCreateMutation,
  importsListKindsOptions,
  importsPreviewMutation,
} from '@/api/@tanstack/react-query.gen';
import { fieldFaults } from '@/lib/requests/problems';
import { refresh } from '@/lib/requests/refresh';
import { useWorkspace } from '@/lib/session/workspace';
import { BackLink } from '@/parts/editor/BackLink';
import { PageHeader } from '@/parts/PageHeader';
import { FormSummary, ProblemAlert } from '@/parts/ProblemAlert';
import { bodyOf, type Draft } from '@/screens/sources/import/draft';
import { DraftForm } from '@/screens/sources/import/DraftForm';
import { ImportDone } from '@/screens/sources/import/ImportDone';
import { PlanReview } from '@/screens/sources/import/PlanReview';

/** The set-up of another tool becomes sources, monitors, rules, schedules and more: entered, reviewed, created. */
export function Import() {
  const { workspace, href, can } = useWorkspace();
  const kinds = useQuery(importsListKindsOptions());
  const [draft, setDraft] = useState<Draft | null>(null);
  const [plan, setPlan] = useState<ImportPlan | null>(null);
  const [result, setResult] = useState<ImportResult | null>(null);
  const [faults, setFaults] = useState<string[]>([]);
  const say = (fault: unknown) => setFaults(fieldFaults(fault, []).rest.map((each) => each.replace(/^\w+: /, '')));
  const preview = useMutation({
    ...importsPreviewMutation(),
    gcTime: 0,
    onMutate: () => setFaults([]),
    onSuccess: setPlan,
    onError: say,
  });
  const create = useMutation({
    ...importsCreateMutation(),
    gcTime: 0,
    onMutate: () => setFaults([]),
    onSuccess: (made) => {
      setResult(made);
      setDraft(null);
      void refresh(
        'sourcesList',
        'heartbeatMonitorsList',
        'rulesList',
        'silencesList',
        'schedulesList',
        'profilesList',
      );
    },
    onError: say,
  });
  const kind = kinds.data?.items.find((each) => each.kind === draft?.kind);
  const body = draft && kind ? bodyOf(draft, kind, workspace.id) : null;
  return (
    <>
      <BackLink href={href('sources')} label="Sources" near />
      <PageHeader title="Import" />
      <Stack px="md" pb="xl" maw={960}>
        {kinds.error && <ProblemAlert fault={kinds.error} onRetry={() => void kinds.refetch()} />}
        <FormSummary faults={faults} />
        {!can('admin') ? (
          <p>Only workspace administrators can import.</p>
        ) : result ? (
          <ImportDone result={result} />
        ) : plan && body ? (
          <PlanReview
            plan={plan}
            isPending={create.isPending}
            onBack={() => setPlan(null)}
            onCreate={(references) => create.mutate({ body: { ...body, references } })}
          />
        ) : (
          kinds.data && (
            <DraftForm
              kinds={kinds.data.items}
              draft={draft}
              onChange={setDraft}
              isPending={preview.isPending}
              onSubmit={() => body && preview.mutate({ body })}
            />
          )
        )}
      </Stack>
    </>
  );
}
