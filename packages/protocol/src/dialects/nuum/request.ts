import type { Probe } from '../../contract/host-side.ts';
import { isObject, show } from '../../framing/json.ts';
import { stringOf } from '../../framing/narrow.ts';
import type { FaultEvent } from '../../model/event.ts';
import { faultEvent } from '../../model/fault.ts';
import type { JsonObject, JsonValue } from '../../model/json.ts';
import { addressOf } from '../../model/media.ts';
import { createTurn, type Turn } from '../../model/turn.ts';
import { readLine, writeLine } from './wire.ts';

/** Fields beside the message that agents of this dialect understand; `permission` offers to answer their questions. */
const PASSED_ON = ['system_prompt', 'mcp_servers', 'environment', 'permission'] as const;

/**
 * The line that hands over a turn. The wire has no block for a file, so each attachment is a text block that names its
 * address. Blocks from `extensions.other_blocks` are passed on unchanged.
 */
export function writeTurn(turn: Turn): string {
  const files = turn.attachments.filter((file) => addressOf(file) !== '');
  const named = files.map((file) => textBlock(`Attached ${file.kind}: ${addressOf(file)}`));
  const given = turn.extensions?.other_blocks;
  const blocks = [...(Array.isArray(given) ? given : []), ...named];
  const content = blocks.length === 0 ? turn.text : [textBlock(turn.text), ...blocks];
  const extra = PASSED_ON.map((name) => [name, turn.extensions?.[name]] as const);
  return writeLine({ type: 'user', message: { role: 'user', content }, ...Object.fromEntries(extra) });
}

function textBlock(text: string): JsonObject {
  return { type: 'text', text };
}

type Control = Probe | 'interrupt';

/** A line of input, or why it cannot be read. */
export type Request =
  | { readonly type: 'turn'; readonly turn: Turn }
  | { readonly type: 'control'; readonly action: Control }
  | { readonly type: 'answer'; readonly id: string; readonly value: JsonObject }
  | FaultEvent;

/** The agent that a line is for. */
interface Receiver {
  readonly nextTurnId: () => string;
  /** The session id that the agent has reported; empty before that. */
  readonly session: string;
}

/** Reads one line of input. The fault message is precise, because `complain` sends it to the host. */
export function readRequest(line: string, agent: Receiver): Request {
  const reading = readLine(line);
  if (!reading.ok) return { type: 'fault', fault: reading.fault };
  switch (reading.value.type) {
    case 'user':
      return readUser(reading.value, line, agent);
    case 'control':
      return readControl(reading.value, line);
    default:
      return faultEvent('unknown-frame', `Unknown type ${show(reading.value.type)}.`, line);
  }
}

const CONTROLS: readonly string[] = ['interrupt', 'status', 'heartbeat'] satisfies Control[];

function readControl(value: JsonObject, line: string): Request {
  const { action, request_id: id } = value;
  if (action === 'permission_response' && typeof id === 'string') return { type: 'answer', id, value };
  if (isControl(action)) return { type: 'control', action };
  return faultEvent('unknown-frame', `Unknown control action ${show(action)}.`, line);
}

function isControl(action: JsonValue | undefined): action is Control {
  return typeof action === 'string' && CONTROLS.includes(action);
}

function readUser(value: JsonObject, line: string, { nextTurnId, session }: Receiver): Request {
  const { type: _, message, ...extra } = value;
  if (!isObject(message)) return faultEvent('malformed-frame', '`message` must be an object.', line);
  if (message.role !== 'user') {
    return faultEvent('malformed-frame', `\`message.role\` must be "user", not ${show(message.role)}.`, line);
  }
  const content = readContent(message.content);
  if (typeof content === 'string') return faultEvent('malformed-frame', content, line);
  const others = content.others.length === 0 ? {} : { other_blocks: content.others };
  const extensions = { ...extra, ...others } as Record<string, JsonValue>;
  return {
    type: 'turn',
    turn: createTurn({
      id: nextTurnId(),
      text: content.text,
      session: { ...(session === '' ? {} : { key: session }), lasts: 'process' },
      ...(Object.keys(extensions).length === 0 ? {} : { extensions }),
    }),
  };
}

interface Content {
  readonly text: string;
  /** Blocks without text, passed on in `extensions.other_blocks`. */
  readonly others: readonly JsonValue[];
}

/** The texts and the remaining blocks of `message.content`, or the sentence of a fault. */
function readContent(content: JsonValue | undefined): Content | string {
  if (typeof content === 'string') return { text: content, others: [] };
  if (!Array.isArray(content)) return '`message.content` must be a string or a list of blocks.';
  const texts: string[] = [];
  const others: JsonValue[] = [];
  for (const block of content as readonly JsonValue[]) {
    const text = isObject(block) && block.type === 'text' ? stringOf(block.text) : undefined;
    if (text === undefined) others.push(block);
    else texts.push(text);
  }
  if (texts.length === 0) return '`message.content` has no text block.';
  return { text: texts.join('\n'), others };
}
