import { useLocation } from 'wouter';
import { type ProfileRecord, versionsListOfProfile, versionsRevertProfile } from '@/api';
import { profilesReadQueryKey } from '@/api/@tanstack/react-query.gen';
import { queries } from '@/lib/requests/queries';
import { refresh } from '@/lib/requests/refresh';
import { useWorkspace } from '@/lib/session/workspace';
import { History } from '@/parts/history/History';
import { say } from '@/parts/toast';

/** The versions of a profile. After a revert the list of profiles is shown, as after saving. */
export function ProfileHistory({ profile }: { profile: ProfileRecord }) {
  const { href, can } = useWorkspace();
  const [, navigate] = useLocation();
  const path = { profile_id: profile.id };
  const load = async () => {
    const { data } = await versionsListOfProfile({ path, throwOnError: true });
    return data.items.map(({ rev, at, actor, routingProfile: { name, text } }) => {
      return { rev, at, actor, text: `${name}\n${text}` };
    });
  };
  const revert = async (rev: number, newest: number) => {
    const { data } = await versionsRevertProfile({
      path,
      body: { rev },
      headers: { 'If-Match': `"${newest}"` },
      throwOnError: true,
    });
    queries.setQueryData(profilesReadQueryKey({ path }), data);
    say(`Version ${rev} is in use again`);
    void refresh('profilesList', 'profilesRead');
    navigate(href('profiles'));
  };
  return <History noun="profile" id={profile.id} load={load} onRevert={can('admin') ? revert : null} />;
}
