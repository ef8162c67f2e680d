import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import {
  previewsCreate,
  previewsRead,
  previewsRemove,
  type PreviewJobRecord,
  type PreviewRecord,
  type PreviewRequest,
  type RuleRecord,
} from '@/api';
import { useWorkspace } from '@/lib/session/workspace';
import { bodyOf, isReady, type RuleForm } from '@/screens/rules/draft';

const POLL_MS = 1000;

/** What the rule would have done with past events, a moment after the last change. Long previews run in the background. */
export function usePreview(form: RuleForm, id: RuleRecord['id'] | null, days: number) {
  const { workspace } = useWorkspace();
  const rule: PreviewRequest['rule'] | null = isReady(form) ? { ...bodyOf(form), ...(id ? { id } : {}) } : null;
  const [settled] = useDebouncedValue(JSON.stringify(rule), 600);
  const query = useQuery({
    queryKey: ['rulePreview', workspace.id, days, settled],
    queryFn: async ({ signal }) => {
      const since = new Date(Date.now() - days * 86_400_000).toISOString();
      const body: PreviewRequest = {
        workspaceId: workspace.id,
        rule: JSON.parse(settled) as PreviewRequest['rule'],
        since,
      };
      return previewOf(body, signal);
    },
    enabled: settled !== 'null',
    staleTime: 30_000,
    retry: false,
    placeholderData: keepPreviousData,
  });
  return {
    ...query,
    isIncomplete: rule === null,
    isBehind: query.isPlaceholderData || settled !== JSON.stringify(rule),
  };
}

/**
 * The answer for a rule. A long preview that nobody waits for any more is cancelled: a workspace has at most two of them at a time.
 * The request itself is not aborted, since the service may begin such a preview all the same.
 */
export async function previewOf(body: PreviewRequest, signal: AbortSignal): Promise<PreviewRecord> {
  const { data } = await previewsCreate({ body, throwOnError: true });
  if (!('status' in data)) return data;
  const cancel = () => void previewsRemove({ path: { preview_id: data.id } }).catch(() => undefined);
  if (signal.aborted) cancel();
  signal.throwIfAborted();
  signal.addEventListener('abort', cancel);
  try {
    return await finished(data.id, signal);
  } finally {
    signal.removeEventListener('abort', cancel);
  }
}

async function finished(id: PreviewJobRecord['id'], signal: AbortSignal): Promise<PreviewRecord> {
  for (;;) {
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    const { data } = await previewsRead({ path: { preview_id: id }, throwOnError: true, signal });
    if (data.result) return data.result;
    if (data.status === 'failed' || data.status === 'cancelled')
      // The problem document of the job: fields of the problem, as the client throws them.
      // eslint-disable-next-line @typescript-eslint/only-throw-error
      throw {
        status: 500,
        code: 'preview_failed',
        title: 'The preview failed',
        detail: data.error ?? 'The preview was cancelled.',
        requestId: data.id,
      };
  }
}
