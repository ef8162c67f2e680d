import { Drawer } from '@/parts/dialogs';
import { FacetPanel } from '@/screens/inbox/FacetPanel';
import type { FilterPanel } from '@/screens/inbox/useFilterPanel';
import type { InboxState } from '@/screens/inbox/useInbox';

type FilterDrawerProps = {
  panel: FilterPanel;
  inbox: InboxState;
};

/** The facets over the list, where there is no room beside it. */
export default function FilterDrawer({ panel, inbox }: FilterDrawerProps) {
  return (
    <Drawer
      opened={panel.isDrawer}
      onClose={panel.close}
      size={320}
      title="Filters"
      padding="xs"
      closeButtonProps={{ 'aria-label': 'Close', size: 44, iconSize: 20 }}
    >
      <FacetPanel inbox={inbox} />
    </Drawer>
  );
}
