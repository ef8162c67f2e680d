import { Drawer } from '@/parts/dialogs';
import { Navigation } from '@/app/shell/Navigation';

type Props = { opened: boolean; onClose: () => void; active: string };

/** The navigation of a phone. */
export default function NavigationDrawer({ opened, onClose, active }: Props) {
  return (
    <Drawer
      opened={opened}
      onClose={onClose}
      size={280}
      title="Navigation"
      hiddenFrom="sm"
      closeButtonProps={{ 'aria-label': 'Close', size: 44, iconSize: 20 }}
      padding="xs"
    >
      <Navigation active={active} />
    </Drawer>
  );
}
