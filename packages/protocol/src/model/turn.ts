import type { JsonObject, JsonValue } from './json.ts';
import type { OptionValue } from './option.ts';

/** The kinds of attachments that channels distinguish. */
export type AttachmentKind = 'image' | 'file' | 'audio' | 'video';

/** A file that travels with a turn or a message: a local path, a URL, or both. */
export interface Attachment {
  readonly kind: AttachmentKind;
  readonly path?: string;
  readonly url?: string;
  readonly name?: string;
  /**
   * `detectMedia` found the path in text; the agent did not name it as a file. It is dropped silently when it is no
   * file.
   */
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
   * `agentId` again. `process`: until this process ends. State stored under a `turn` or `process` key is never read
   * again.
   */
  readonly lasts?: 'turn' | 'process';
  /**
   * Values that a person has chosen, by `AgentOption.id`. An agent that has other values sets these before it answers,
   * so that they also hold in a new process.
   */
  readonly options?: Readonly<Record<string, OptionValue>>;
}

/** A named request with its own fields, for hosts that request operations instead of sending text. */
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
  /** Fields of a dialect that `Turn` has no place for, kept by name so that a relay can pass them on. */
  readonly extensions?: Readonly<Record<string, JsonValue>>;
}

/** The fields of a turn that a caller must set; `createTurn` fills in the rest. */
export type TurnInput = Partial<Omit<Turn, 'session'>> & {
  readonly id: string;
  readonly session?: Partial<SessionRef>;
};

/**
 * Fills in absent fields: no text, no attachments, and the session key `channel:chatId`, else `default`. All turns
 * without a session and a chat share the conversation `default`.
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
