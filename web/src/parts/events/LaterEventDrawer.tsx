import { type ComponentProps, lazy } from 'react';
import { Later } from '@/parts/Later';

const Drawer = lazy(() => import('@/parts/events/EventDrawer'));

/** The drawer of one event. Its script is loaded when it opens first. */
export function EventDrawer(props: ComponentProps<typeof Drawer>) {
  return (
    <Later opened={props.id !== null}>
      <Drawer {...props} />
    </Later>
  );
}
