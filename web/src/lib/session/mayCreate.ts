import { useQuery } from '@tanstack/react-query';
import { infoReadOptions } from '@/api/@tanstack/react-query.gen';
import { auth } from '@/lib/session/identity';
import { useSession } from '@/lib/session/workspace';

/** Returns whether the person may create a workspace. A paired phone does not offer it. */
export function useMayCreate(): boolean {
  const { me } = useSession();
  const info = useQuery(infoReadOptions());
  if (auth().kind === 'device' || info.data === undefined) return false;
  return info.data.workspaceCreation === 'everybody' || me.isInstanceAdmin;
}
