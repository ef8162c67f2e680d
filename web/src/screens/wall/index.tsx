import { useOptionalWorkspace } from '@/lib/session/workspace';
import { Kiosk } from '@/screens/wall/Kiosk';
import { WorkspaceWall } from '@/screens/wall/WorkspaceWall';

/** The wall display of the workspace of the address, or of the token of a link. */
export default function Wall() {
  const workspace = useOptionalWorkspace();
  return workspace ? <WorkspaceWall key={workspace.id} /> : <Kiosk />;
}
