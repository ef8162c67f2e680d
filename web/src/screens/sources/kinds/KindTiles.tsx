import { Link } from 'wouter';
import { useWorkspace } from '@/lib/session/workspace';
import { KindIcon, useSourceKinds } from '@/screens/sources/kinds/KindSelect';
import classes from '@/screens/sources/kinds/KindTiles.module.css';

/** All kinds of senders that this instance accepts. Each one begins a source for it. */
export function KindTiles() {
  const { href } = useWorkspace();
  const kinds = useSourceKinds();
  if (!kinds) return null;
  return (
    <ul className={classes.tiles} aria-label="Senders">
      {kinds
        .filter((each) => each.available)
        .map((each) => (
          <li key={each.kind}>
            <Link href={href(`sources?new&sender=${each.kind}`)} className={classes.tile} title={each.summary}>
              <KindIcon kind={each} />
              <span className="clip">{each.label}</span>
            </Link>
          </li>
        ))}
    </ul>
  );
}
