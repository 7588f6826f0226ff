import { isObject, parseJson, repeatsKey, show } from '../../framing/json.ts';
import type { LogLevel } from '../../model/event.ts';
import { type Fault, fault, faultEvent } from '../../model/fault.ts';
import type { JsonObject, JsonValue } from '../../model/json.ts';

/** A provider as the envelope carries it. */
export interface WireProvider {
  readonly api_keys: readonly string[];
  readonly models?: readonly string[];
  readonly base_url?: string;
}

/** The JSON line that a host writes to an agent's stdin. */
export interface Envelope {
  readonly version: 1;
  readonly text: string;
  readonly media?: readonly string[];
  readonly channel: string;
  readonly chat_id: string;
  readonly session_key: string;
  readonly workspace: string;
  readonly user_data_dir: string;
  readonly providers?: Readonly<Record<string, WireProvider>> | JsonObject;
}

/**
 * One frame of an agent's stdout. A `message` without media is already the event, so that floods need no second object.
 */
export type Frame =
  | { readonly type: 'message'; readonly text: string; readonly media: readonly never[] }
  | { readonly type: 'message with media'; readonly text: string; readonly media: readonly string[] }
  | { readonly type: 'progress'; readonly text: string }
  | { readonly type: 'error'; readonly text: string; readonly code?: string }
  | { readonly type: 'log'; readonly text: string; readonly level: LogLevel };

/** A line is a known frame, plain text, or a malformed frame. `frame` holds the usable part of a malformed frame. */
export type Reading =
  | Frame
  | 'text'
  | { readonly type: 'fault'; readonly fault: Fault; readonly frame?: Frame };

const NO_MEDIA: readonly never[] = [];

/** Reads one line of stdout. A line that is not a JSON object with a `type` is plain text. */
export function readFrame(line: string): Reading {
  if (!startsObject(line)) return 'text';
  const parsed = parseJson(line);
  if (!parsed.ok)
    return parsed.fault.code === 'invalid-json' ? 'text' : { type: 'fault', fault: parsed.fault };
  const value = parsed.value;
  if (!isObject(value) || value.type === undefined) return 'text';
  if (!hasNoRoom(line, value) && repeatsKey(line, 'type')) {
    return faultEvent('duplicate-key', 'The frame says its `type` twice.', line);
  }
  return readKnown(value, line);
}

/** Fewest characters of a frame around its `type` and `text`, and of a repeated `type`. */
const FRAME_CHARS = '{"type":"","text":""}'.length;
const REPEATED_CHARS = '"type":0,'.length;

/**
 * Whether `line` is too short to hold a second `type`, as most lines are. The length is checked before `repeatsKey`,
 * because scanning the line, a slice of a larger string, costs a quarter of the parse.
 */
function hasNoRoom({ length }: string, { type, text }: JsonObject): boolean {
  if (typeof type !== 'string' || typeof text !== 'string') return false;
  return length < FRAME_CHARS + type.length + text.length + REPEATED_CHARS;
}

function readKnown(value: JsonObject, line: string): Reading {
  switch (value.type) {
    case 'message':
      return readMessage(value, line);
    case 'progress':
      return withText(value, line, (text) => ({ type: 'progress', text }));
    case 'error':
      return readError(value, line);
    case 'log':
      return withText(value, line, (text) => ({ type: 'log', text, level: readLevel(value.level) }));
    default:
      return faultEvent('unknown-frame', `Unknown frame type ${show(value.type)}.`, line);
  }
}

/** An error frame without `text` still fails the turn. */
function readError({ text, code }: JsonObject, line: string): Reading {
  const frame: Frame = {
    type: 'error',
    text: typeof text === 'string' ? text : 'The agent reported an error without saying which.',
    ...(typeof code === 'string' ? { code } : {}),
  };
  if (typeof text === 'string') return frame;
  const complaint = `\`text\` must be a string, not ${show(text)}.`;
  return { type: 'fault', frame, fault: fault('malformed-frame', complaint, line) };
}

function withText(value: JsonObject, line: string, build: (text: string) => Frame): Reading {
  const text = value.text;
  if (typeof text === 'string') return build(text);
  return faultEvent('malformed-frame', `\`text\` must be a string, not ${show(text)}.`, line);
}

/** `text` may be absent when `media` has paths. A `media` that is not a list of strings is left out. */
function readMessage(value: JsonObject, line: string): Reading {
  const { text, media } = value;
  const paths = media === undefined ? NO_MEDIA : readPaths(media);
  if (typeof text === 'string' && paths !== undefined) return messageFrame(text, paths);
  if (typeof text !== 'string' && (paths === undefined || paths.length === 0 || text !== undefined)) {
    return faultEvent('malformed-frame', `\`text\` must be a string, not ${show(text)}.`, line);
  }
  const complaint =
    paths === undefined ? '`media` must be a list of strings; it was left out.' : '`text` is missing.';
  return {
    type: 'fault',
    frame: messageFrame(typeof text === 'string' ? text : '', paths ?? NO_MEDIA),
    fault: fault('malformed-frame', complaint, line),
  };
}

function messageFrame(text: string, media: readonly string[]): Frame {
  return media.length === 0
    ? { type: 'message', text, media: NO_MEDIA }
    : { type: 'message with media', text, media };
}

function readPaths(media: JsonValue): readonly string[] | undefined {
  if (!Array.isArray(media)) return undefined;
  return media.every((path) => typeof path === 'string') ? (media as readonly string[]) : undefined;
}

const LEVELS: ReadonlyMap<string, LogLevel> = new Map([
  ['debug', 'debug'],
  ['info', 'info'],
  ['warning', 'warning'],
  ['warn', 'warning'],
  ['error', 'error'],
]);

/** An absent level is `debug`; one we do not know is `info`. */
function readLevel(level: JsonValue | undefined): LogLevel {
  if (level === undefined || level === null) return 'debug';
  return (typeof level === 'string' ? LEVELS.get(level.toLowerCase()) : undefined) ?? 'info';
}

export function startsObject(line: string): boolean {
  let at = 0;
  while (line.charCodeAt(at) === 32 || line.charCodeAt(at) === 9) at++;
  return line.charCodeAt(at) === 123;
}
