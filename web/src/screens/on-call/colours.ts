import type { CSSProperties } from 'react';
import type { LayerShape } from '@/api';

/** The number of colours of people in `tokens.css`. */
const COLOURS = 8;

/** The places of people in the layers: the same person has the same colour in all views of a schedule. */
export function placesOf(layers: readonly Pick<LayerShape, 'members'>[]): Map<string, number> {
  const people = new Set(layers.flatMap((layer) => layer.members.flat()));
  return new Map([...people].map((id, place) => [id, place]));
}

/** The colour of a person as the variable `--own`. Somebody who is in no layer gets one by the letters of the id. */
export function colourOf(userId: string | undefined, places: ReadonlyMap<string, number>): CSSProperties {
  if (userId === undefined) return {};
  const place = places.get(userId) ?? [...userId].reduce((sum, letter) => sum + letter.charCodeAt(0), 0);
  return { ['--own' as string]: `var(--person-${place % COLOURS})` };
}
