// What each kind sends, in the types that services or the maintained libraries of their users publish. Comments name what is added from the
// documentation of the service.
import type { chat_v1 } from '@googleapis/chat';
import type { ApiMethods } from '@grammyjs/types';
import type { PostAction } from '@mattermost/types/integration_actions';
import type { MessageAttachment } from '@mattermost/types/message_attachments';
import type { IAdaptiveCard } from '@microsoft/teams.cards';
import type { EventPayloadV2 } from '@pagerduty/pdjs/build/src/events.js';
import type { KnownBlock } from '@slack/types';
import type {
  AllowedMentionsTypes,
  APIAllowedMentions,
  RESTPatchAPIWebhookWithTokenMessageJSONBody,
  RESTPostAPIWebhookWithTokenJSONBody,
} from 'discord-api-types/v10';

// The blocks are published. The arguments of the methods are documented.
interface SlackText {
  text: string;
  blocks?: KnownBlock[];
  unfurl_links?: boolean;
  unfurl_media?: boolean;
}
export type SlackWebhook = SlackText;
export type SlackBot = SlackText & { channel: string } & {
  ts?: string;
  thread_ts?: string;
  reply_broadcast?: boolean;
};

// The values of the enumeration are published, and JSON has them as texts.
type Mentions = Omit<APIAllowedMentions, 'parse'> & { parse?: `${AllowedMentionsTypes}`[] };
export type DiscordPost = Omit<RESTPostAPIWebhookWithTokenJSONBody, 'allowed_mentions'> & { allowed_mentions?: Mentions };
export type DiscordChange = RESTPatchAPIWebhookWithTokenMessageJSONBody;

type Telegram = ApiMethods<never>;
export type TelegramPost = Parameters<Telegram['sendMessage']>[0];
export type TelegramChange = Parameters<Telegram['editMessageText']>[0];
export type TelegramWebhook = Parameters<Telegram['setWebhook']>[0];

// The published action is that of clients, which do not see `integration`.
interface Action extends PostAction {
  integration: { url: string; context: Record<string, string> };
}
interface Attachment extends Omit<MessageAttachment, 'actions'> {
  actions?: Action[];
}
export interface MattermostWebhook {
  text: string;
  attachments: Attachment[];
}
export interface MattermostBot {
  message: string;
  channel_id?: string;
  root_id?: string;
  pending_post_id?: string;
  props?: { attachments: Attachment[] };
}

// The documentation writes the width as "Full", the types as "full".
interface Card extends Omit<IAdaptiveCard, 'msteams'> {
  msteams: { width: 'Full'; entities?: { type: 'mention'; text: string; mentioned: { id: string; name: string } }[] };
}
export interface Teams {
  type: 'message';
  attachments: { contentType: 'application/vnd.microsoft.card.adaptive'; contentUrl: null; content: Card }[];
}

export type GoogleChat = chat_v1.Schema$Message;

// `client` and `client_url` are documented and not published. Only a trigger needs a payload.
export type PagerDuty =
  | (EventPayloadV2 & { event_action: 'trigger'; client?: string; client_url?: string })
  | (Pick<EventPayloadV2, 'routing_key'> & { event_action: 'acknowledge' | 'resolve'; dedup_key: string });
