import { useEffect, useState, useSyncExternalStore } from 'react';

type Layer = object;

/** The layers that are open over the page, in the order of opening. */
export class Layers {
  private open: readonly { layer: Layer }[] = [];
  private readonly listeners = new Set<() => void>();

  /**
   * Puts a layer above the others; answers how to take it away. It stays the topmost one until the key that closed it was
   * handled: the layer below receives the same key.
   */
  add(layer: Layer): () => void {
    const place = { layer };
    this.set([...this.open, place]);
    return () => void setTimeout(() => this.set(this.open.filter((each) => each !== place)));
  }

  isTopmost(layer: Layer): boolean {
    return this.open.at(-1)?.layer === layer;
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  private set(open: readonly { layer: Layer }[]): void {
    this.open = open;
    this.listeners.forEach((listener) => listener());
  }
}

const layers = new Layers();

/** Returns whether a dialog was opened last of the open ones. Escape closes only that one. */
export function useTopmost(opened: boolean): boolean {
  const [layer] = useState<Layer>(() => ({}));
  useEffect(() => (opened ? layers.add(layer) : undefined), [opened, layer]);
  return useSyncExternalStore(layers.subscribe, () => layers.isTopmost(layer));
}
