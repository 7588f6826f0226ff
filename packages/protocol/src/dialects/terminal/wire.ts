import { isObject, parseJson, repeatsKey } from '../../framing/json.ts';
import type { LogLevel } from '../../model/event.ts';
import { type Fault, fault } from '../../model/fault.ts';
import type { JsonObject, JsonValue } from '../../model/json.ts';

/** A provider as the envelope carries it. */
export interface WireProvider {
  readonly api_keys: readonly string[];
  readonly models?: readonly string[];
  readonly base_url?: string;
}

/** The one line a host writes to an agent's stdin. */
export interface Envelope {
  readonly version: 1;
  readonly text: string;
  readonly media?: readonly string[];
  readonly channel: string;
  readonly chat_id: string;
  readonly session_key: string;
  readonly workspace: string;
  readonly user_data_dir: string;
  readonly providers?: Readonly<Record<string, WireProvider>>;
}

/** One frame of an agent's stdout. */
export type Frame =
  | { readonly type: 'message'; readonly text: string; readonly media: readonly string[] }
  | { readonly type: 'progress'; readonly text: string }
  | { readonly type: 'error'; readonly text: string; readonly code?: string }
  | { readonly type: 'log'; readonly text: string; readonly level: LogLevel };

/** A line is a frame we know, text that is no frame, or something that tried to be one. */
export type Reading =
  | { readonly kind: 'frame'; readonly frame: Frame; readonly fault?: Fault }
  | { readonly kind: 'text' }
  | { readonly kind: 'fault'; readonly fault: Fault };

const TEXT: Reading = { kind: 'text' };
const NO_MEDIA: readonly string[] = [];

/** Reads one line of stdout. A line that is not a JSON object with a `type` is plain text. */
export function readFrame(line: string): Reading {
  if (!startsObject(line)) return TEXT;
  const parsed = parseJson(line);
  if (!parsed.ok) return parsed.fault.code === 'invalid-json' ? TEXT : { kind: 'fault', fault: parsed.fault };
  const value = parsed.value;
  if (!isObject(value) || value.type === undefined) return TEXT;
  if (!opensWithType(line, value.type) && repeatsKey(line, 'type')) {
    return { kind: 'fault', fault: fault('duplicate-key', 'The frame says its `type` twice.', line) };
  }
  return readKnown(value, line);
}

/** How most frames begin. Then the first `type` is the one that was parsed, the last, and there is nothing to doubt. */
const OPENINGS: Readonly<Record<Frame['type'], string>> = {
  message: '{"type":"message"',
  progress: '{"type":"progress"',
  error: '{"type":"error"',
  log: '{"type":"log"',
};

function opensWithType(line: string, type: JsonValue): boolean {
  const opening = typeof type === 'string' ? OPENINGS[type as Frame['type']] : undefined;
  return opening !== undefined && line.startsWith(opening);
}

function readKnown(value: JsonObject, line: string): Reading {
  switch (value.type) {
    case 'message':
      return readMessage(value, line);
    case 'progress':
      return withText(value, line, (text) => ({ type: 'progress', text }));
    case 'error':
      return withText(value, line, (text) => {
        const code = value.code;
        return typeof code === 'string' ? { type: 'error', text, code } : { type: 'error', text };
      });
    case 'log':
      return withText(value, line, (text) => ({ type: 'log', text, level: readLevel(value.level) }));
    default:
      return {
        kind: 'fault',
        fault: fault('unknown-frame', `Unknown frame type ${show(value.type)}.`, line),
      };
  }
}

function withText(value: JsonObject, line: string, build: (text: string) => Frame): Reading {
  const text = value.text;
  if (typeof text === 'string') return { kind: 'frame', frame: build(text) };
  return {
    kind: 'fault',
    fault: fault('malformed-frame', `\`text\` must be a string, not ${show(text)}.`, line),
  };
}

/** A message may leave out its text when it has media; media that is not a list of paths is left out. */
function readMessage(value: JsonObject, line: string): Reading {
  const { text, media } = value;
  const paths = media === undefined ? NO_MEDIA : readPaths(media);
  if (typeof text === 'string' && paths !== undefined) {
    return { kind: 'frame', frame: { type: 'message', text, media: paths } };
  }
  if (typeof text !== 'string' && (paths === undefined || paths.length === 0 || text !== undefined)) {
    return {
      kind: 'fault',
      fault: fault('malformed-frame', `\`text\` must be a string, not ${show(text)}.`, line),
    };
  }
  const complaint =
    paths === undefined ? '`media` must be a list of strings; it was left out.' : '`text` is missing.';
  return {
    kind: 'frame',
    frame: { type: 'message', text: typeof text === 'string' ? text : '', media: paths ?? NO_MEDIA },
    fault: fault('malformed-frame', complaint, line),
  };
}

function readPaths(media: JsonValue): readonly string[] | undefined {
  if (!Array.isArray(media)) return undefined;
  return media.every((path) => typeof path === 'string') ? (media as readonly string[]) : undefined;
}

const LEVELS: Readonly<Record<string, LogLevel>> = {
  debug: 'debug',
  info: 'info',
  warning: 'warning',
  warn: 'warning',
  error: 'error',
};

/** An absent level is `debug`; one we do not know is `info`. */
function readLevel(level: JsonValue | undefined): LogLevel {
  if (level === undefined || level === null) return 'debug';
  return (typeof level === 'string' ? LEVELS[level.toLowerCase()] : undefined) ?? 'info';
}

function startsObject(line: string): boolean {
  let at = 0;
  while (line.charCodeAt(at) === 32 || line.charCodeAt(at) === 9) at++;
  return line.charCodeAt(at) === 123;
}

function show(value: JsonValue | undefined): string {
  if (value === undefined) return 'missing';
  return (JSON.stringify(value) ?? 'unknown').slice(0, 40);
}
