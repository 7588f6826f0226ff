/** The error word of a Web API answer with `ok: false`. `fields` stand beside it. */
export class SlackProblem extends Error {
  readonly fields: Readonly<Record<string, unknown>>;

  constructor(word: string, fields: Readonly<Record<string, unknown>> = {}) {
    super(word);
    this.name = 'SlackProblem';
    this.fields = fields;
  }
}

/** A file that was uploaded, by a person or by the app. */
export interface StoredFile {
  readonly id: string;
  readonly name: string;
  readonly mimetype: string;
  readonly bytes: Buffer;
  /** Answer of `url_private_download`; the bytes when absent, `login` for a login page, `gone` for 404. */
  readonly answers?: 'login' | 'gone';
}

export interface StoredMessage {
  readonly channel: string;
  readonly ts: string;
  readonly thread_ts?: string;
  readonly user?: string;
  readonly bot_id?: string;
  readonly subtype?: string;
  text: string;
  blocks: readonly SlackBlock[];
  metadata?: unknown;
  readonly files: readonly StoredFile[];
}

/** A block of Block Kit; the fake reads these fields only. */
export interface SlackBlock {
  readonly type: string;
  readonly text?: { readonly type: string; readonly text: string };
  readonly elements?: readonly SlackButton[];
}

export interface SlackButton {
  readonly type: string;
  readonly action_id?: string;
  readonly value?: string;
  readonly text?: { readonly text: string };
}

/** State of a workspace with one app. */
export interface Workspace {
  readonly team: string;
  readonly app: string;
  readonly botUser: string;
  readonly botId: string;
  readonly botToken: string;
  readonly appToken: string;
  readonly signingSecret: string;
  /** Scopes of `botToken`; tests may take some away. */
  readonly scopes: Set<string>;
  readonly messages: StoredMessage[];
  readonly files: Map<string, StoredFile>;
  /** Blocks with buttons that an update has replaced, by `ts`: people may still have them on the screen. */
  readonly oldBlocks: Map<string, readonly SlackBlock[]>;
  /** Error words by channel, for example `is_archived`. */
  readonly refusals: Map<string, string>;
  /** Ids of triggers, with the time of `performance.now()` until which each is good. */
  readonly triggers: Map<string, number>;
  newId(prefix: string): string;
  /** Ends in zeros, so that a `ts` that becomes a number is another one. */
  newTs(): string;
  find(channel: string, ts: string): StoredMessage;
}

const BOT_SCOPES =
  'app_mentions:read chat:write channels:history groups:history im:history mpim:history files:read files:write users:read commands';

let workspaces = 0;

export function createWorkspace(): Workspace {
  workspaces += 1;
  const number = String(workspaces).padStart(4, '0');
  let ids = 0;
  let stamps = 0;
  const messages: StoredMessage[] = [];
  return {
    team: `T${number}`,
    app: `A${number}`,
    botUser: `U${number}BOT`,
    botId: `B${number}`,
    botToken: `xoxb-${number}-secret-of-the-bot`,
    appToken: `xapp-1-A${number}-secret-of-the-app`,
    signingSecret: `${number}secret-of-the-signatures`,
    scopes: new Set(BOT_SCOPES.split(' ')),
    messages,
    files: new Map(),
    oldBlocks: new Map(),
    refusals: new Map(),
    triggers: new Map(),
    newId(prefix) {
      ids += 1;
      return `${prefix}${number}${String(ids).padStart(5, '0')}`;
    },
    newTs() {
      stamps += 1;
      return `${Math.floor(Date.now() / 1000)}.${String(stamps * 100).padStart(6, '0')}`;
    },
    find(channel, ts) {
      const found = messages.find((one) => one.channel === channel && one.ts === ts);
      if (found === undefined) throw new SlackProblem('message_not_found');
      return found;
    },
  };
}

/** A place of the fake: the id of a channel, or `CHANNEL:THREAD_TS`. */
export function readPlace(place: string): { readonly channel: string; readonly thread?: string } {
  const [channel = '', thread] = place.split(':');
  return thread === undefined ? { channel } : { channel, thread };
}

/** The place in which people see a message. */
export function placeOf({ channel, ts, thread_ts: thread }: StoredMessage): string {
  return thread === undefined || thread === ts ? channel : `${channel}:${thread}`;
}
