import type { JsonObject, JsonValue } from './json.ts';

/** What an attachment is, as far as a channel cares. */
export type AttachmentKind = 'image' | 'file' | 'audio' | 'video';

/** A file that travels with a turn or a message: a local path, a URL, or both. */
export interface Attachment {
  readonly kind: AttachmentKind;
  readonly path?: string;
  readonly url?: string;
  readonly name?: string;
  /** Found by looking at text rather than named by the agent: dropped without a word if it is not a file. */
  readonly detected?: true;
}

/** The conversation a turn belongs to. */
export interface SessionRef {
  /** Our own name for the conversation. */
  readonly key: string;
  /** The opaque id the agent gave for it in an earlier turn. */
  readonly agentId?: string;
  /** A name a person can read. */
  readonly name?: string;
  /**
   * How long `key` is valid; for ever when absent. `turn`: for this turn only, and a host that wants to go on brings
   * `agentId` again. `process`: until this process ends. State stored under a `turn` or `process` key is never read again.
   */
  readonly lasts?: 'turn' | 'process';
}

/** A named request with its own fields, for hosts that ask for an operation rather than talk. */
export interface Operation {
  readonly name: string;
  readonly fields: JsonObject;
}

/** One request to an agent. */
export interface Turn {
  readonly id: string;
  readonly text: string;
  readonly attachments: readonly Attachment[];
  readonly session: SessionRef;
  readonly sender?: string;
  readonly channel?: string;
  readonly chatId?: string;
  readonly operation?: Operation;
  /** JSON Schema the structured answer must conform to. */
  readonly schema?: JsonObject;
  /** Fields a dialect carries beside its own, kept by name so that a relay can pass them on. */
  readonly extensions?: Readonly<Record<string, JsonValue>>;
}

/** What a caller must say of a turn; the rest has a default. */
export type TurnInput = Partial<Omit<Turn, 'session'>> & {
  readonly id: string;
  readonly session?: Partial<SessionRef>;
};

/**
 * Fills in what a caller left out: no text, no attachments, and as its session that of its chat, or `default` where it
 * names none: all turns without a name are one conversation.
 */
export function createTurn(input: TurnInput): Turn {
  return {
    ...input,
    text: input.text ?? '',
    attachments: input.attachments ?? [],
    session: { ...input.session, key: input.session?.key ?? chatOf(input) ?? 'default' },
  };
}

function chatOf({ channel, chatId }: TurnInput): string | undefined {
  return channel === undefined || chatId === undefined ? undefined : `${channel}:${chatId}`;
}
