import { CircleAlert, TriangleAlert } from 'lucide-react';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import classes from '@/app/shell/Warnings.module.css';

type Props = {
  grave?: boolean;
  /** It comes after the page: at the end of the window, where it moves nothing. */
  late?: boolean;
  href: string;
  link: string;
  children: ReactNode;
};

/** A warning across the page, with the screen where its cause is settled. */
export function Bar(of: Props) {
  const Icon = of.grave ? CircleAlert : TriangleAlert;
  return (
    <div role="status" className={classes.bar} data-grave={of.grave || undefined} data-late={of.late || undefined}>
      <Icon size={16} aria-hidden className={classes.icon} />
      <span>
        {of.children}{' '}
        <Link href={of.href} className={classes.link}>
          {of.link}
        </Link>
      </span>
    </div>
  );
}
