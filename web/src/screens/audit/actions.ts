/** The first part of an action, which the API takes as a filter for all actions of a subject. */
export const SUBJECTS = [
  { value: 'workspace', label: 'Workspace' },
  { value: 'member', label: 'Members' },
  { value: 'invite', label: 'Invites' },
  { value: 'source', label: 'Sources' },
  { value: 'key', label: 'Source keys' },
  { value: 'rule', label: 'Rules' },
  { value: 'routing_profile', label: 'Profiles' },
  { value: 'silence', label: 'Silences' },
  { value: 'destination', label: 'Destinations' },
  { value: 'delivery', label: 'Deliveries' },
  { value: 'event', label: 'Events' },
];

/** `member.role_changed` as "Member: role changed". Actions that are new read the same way. */
export function actionText(action: string): string {
  const [subject = '', act = ''] = action.replaceAll('_', ' ').split('.');
  return `${subject.charAt(0).toUpperCase()}${subject.slice(1)}: ${act}`;
}
