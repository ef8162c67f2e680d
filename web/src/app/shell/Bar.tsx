import { CircleAlert, TriangleAlert } from 'lucide-react';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import classes from '@/app/shell/Warnings.module.css';

/** A warning across the page, with the screen where its cause is settled. */
export function Bar(of: { grave?: boolean; href: string; link: string; children: ReactNode }) {
  const Icon = of.grave ? CircleAlert : TriangleAlert;
  return (
    <div role="status" className={classes.bar} data-grave={of.grave || undefined}>
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
