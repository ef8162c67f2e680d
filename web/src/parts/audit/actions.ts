import type { AuditSubject } from '@/api';

/** `member.role_changed` as "Member: role changed". Actions that are new read the same way. */
export function actionText(action: string): string {
  const [subject = '', act = ''] = action.replaceAll('_', ' ').split('.');
  return `${subject.charAt(0).toUpperCase()}${subject.slice(1)}: ${act}`;
}

/** The choices of the filter: for each subject of workspaces all its actions, and each of them. */
export function choices(subjects: readonly AuditSubject[]) {
  return subjects
    .filter((each) => each.inWorkspaces)
    .map((each) => ({
      group: each.label,
      items: [
        { value: each.subject, label: `${each.label}: all` },
        ...each.actions.map(({ action, label }) => ({ value: action, label })),
      ],
    }));
}
