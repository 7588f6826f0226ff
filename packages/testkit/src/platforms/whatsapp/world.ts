import type { ShownMessage } from '../fake-platform.ts';
import type { Accepted } from './messages-api.ts';

/** State of a fake WhatsApp: messages, files and acknowledgements. */
export interface WhatsappWorld {
  readonly messages: (ShownMessage & { readonly place: string; readonly accepted: Accepted })[];
  /** Names of uploaded files by media id. */
  readonly uploads: Map<string, string>;
  /** Files of people by media id. */
  readonly files: Map<string, FakeFile>;
  /** Ids of messages of people. */
  readonly inbound: Set<string>;
  readonly acknowledged: Set<string>;
  /** Places to which only templates are delivered. */
  readonly closed: Set<string>;
  /** Messages that were marked as read with a typing sign. */
  readonly typing: string[];
  /** States that are reported of each accepted message. */
  statuses: readonly ('sent' | 'delivered' | 'read' | 'failed')[];
  isSubscribed: boolean;
  /** Grows when the addresses of files expire. */
  addresses: number;
  nextMessageId(): string;
}

export interface FakeFile {
  readonly name?: string;
  readonly mime: string;
  readonly bytes: Uint8Array;
  readonly caption?: string;
  readonly voice?: true;
}

export const TOKEN = 'EAAGfakeWhatsappToken0123456789';
export const APP_SECRET = '0123456789abcdef0123456789abcdef';
export const VERIFY_TOKEN = 'fake-verify-token';
export const PHONE = '106540352242922';
export const ACCOUNT = '102290129340398';
const NUMBER = '15550783881';

export function createWorld(): WhatsappWorld {
  let count = 0;
  return {
    ...{ messages: [], uploads: new Map(), files: new Map(), typing: [] },
    ...{ inbound: new Set(), acknowledged: new Set(), closed: new Set() },
    statuses: ['sent', 'delivered'],
    isSubscribed: false,
    addresses: 0,
    nextMessageId() {
      count += 1;
      return `wamid.fake${count}==`;
    },
  };
}

/** A webhook about the phone number of the app. */
export function payloadOf(value: object): object {
  const metadata = { display_phone_number: NUMBER, phone_number_id: PHONE };
  const change = { field: 'messages', value: { messaging_product: 'whatsapp', metadata, ...value } };
  return { object: 'whatsapp_business_account', entry: [{ id: ACCOUNT, changes: [change] }] };
}
