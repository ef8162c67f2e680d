import { useLayoutEffect } from 'react';

type AnchorProps = { button: HTMLElement | null; ref?: (node: HTMLElement | null) => void; id?: string };

/** Hands a button of the page to what opens beside it, which reads its place and names itself by it. */
export function Anchor({ button, ref, id }: AnchorProps) {
  useLayoutEffect(() => {
    ref?.(button);
    if (button && id) button.id = id;
    return () => ref?.(null);
  }, [button, ref, id]);
  return null;
}
