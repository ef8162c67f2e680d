import { type LucideIcon, Mail, MessageSquare, Siren, Smartphone, Webhook } from 'lucide-react';
import type { DestinationKindRecord } from '@/api';
import classes from '@/screens/destinations/Destinations.module.css';

const ICONS: Record<string, LucideIcon> = { chat: MessageSquare, mail: Mail, pager: Siren, phone: Smartphone };

/** The picture of a kind. An unknown one is a webhook. */
export function KindIcon({ kind }: { kind: DestinationKindRecord | undefined }) {
  const Icon = ICONS[kind?.icon ?? ''] ?? Webhook;
  return <Icon size={18} strokeWidth={1.5} aria-hidden className={classes.kindIcon} />;
}
