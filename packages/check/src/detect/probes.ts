import { type DialectName, isObject, type JsonObject, parseJson } from '@plugboard/protocol';
import { framesOf, isSystem } from '../cases/nuum/frames.ts';
import type { Place } from '../observe/place.ts';
import type { Sight, Start } from '../observe/sight.ts';

/** A word that an agent can only repeat when it has read it. */
const WORD = 'plugboard-detect';

const QUESTION = `Say hello. (${WORD})`;

/** A harmless question in one dialect, and the signs by which an answer in it is known. */
export interface Probe {
  readonly dialect: DialectName;
  start(place: Place): Start;
  /** What gives the dialect away; undefined when nothing does. */
  sign(sight: Sight): string | undefined;
}

function asking(input: JsonObject): Start {
  return { steps: [{ send: `${JSON.stringify(input)}\n` }, { close: true }] };
}

function objectsOf({ lines }: Sight): JsonObject[] {
  return lines.flatMap(({ text }) => {
    const parsed = parseJson(text);
    return parsed.ok && isObject(parsed.value) ? [parsed.value] : [];
  });
}

const nuum: Probe = {
  dialect: 'nuum',
  // The end of input is no hindrance to the first line, and brings an agent of another kind to its end.
  start: () => ({
    steps: [
      { send: '{"type":"control","action":"heartbeat"}\n' },
      { close: true },
      { wait: { what: 'init', done: (lines) => framesOf(lines).some((frame) => isSystem(frame, 'init')) } },
      { stop: true },
    ],
  }),
  sign: ({ missed }) => (missed === undefined ? 'it printed an init line' : undefined),
};

const agentprocV4: Probe = {
  dialect: 'agentproc/v4',
  start: () => asking({ type: 'turn', message: QUESTION, session_id: '', protocol_version: '0.4' }),
  sign(sight) {
    const found = objectsOf(sight).find(({ type, text, message }) => {
      if (type === 'partial' || type === 'result') return typeof text === 'string';
      return type === 'error' && typeof message === 'string';
    });
    return found === undefined
      ? undefined
      : `it answered a turn line with an object of type ${String(found.type)}`;
  },
};

const agentproc: Probe = {
  dialect: 'agentproc',
  start: () => ({
    env: {
      AGENT_MESSAGE: QUESTION,
      AGENT_SESSION_ID: '',
      AGENT_SESSION_NAME: 'default',
      AGENT_FROM_USER: '',
      AGENT_STREAMING: '1',
      AGENT_PROTOCOL_VERSION: '0.1',
    },
    steps: [{ close: true }],
  }),
  sign({ lines }) {
    const line = lines
      .map(({ text }) => /^AGENT_(?:SESSION|PARTIAL|ERROR):/.exec(text)?.[0])
      .find((prefix) => prefix !== undefined);
    if (line !== undefined) return `it printed an ${line} line`;
    return lines.some(({ text }) => text.includes(WORD)) ? 'it repeated a word of AGENT_MESSAGE' : undefined;
  },
};

const nib: Probe = {
  dialect: 'nib',
  start: ({ directory }) => asking({ operation: WORD, dir: directory }),
  sign({ lines }) {
    const parsed = parseJson(lines.map(({ text }) => text).join('\n'));
    if (!parsed.ok || !isObject(parsed.value)) return undefined;
    const { type, error, operation } = parsed.value;
    if (type === 'error' && typeof error === 'string')
      return 'it refused an unknown operation with an error object';
    return type === 'success' && operation === WORD
      ? 'it answered an operation with a success object'
      : undefined;
  },
};

const TERMINAL_TYPES = ['message', 'progress', 'error', 'log'];

const terminal: Probe = {
  dialect: 'terminal',
  start: ({ directory }) =>
    asking({
      version: 1,
      text: QUESTION,
      channel: 'cli',
      chat_id: 'check',
      session_key: 'cli:check',
      workspace: directory,
      user_data_dir: `${directory}/users/check`,
    }),
  sign(sight) {
    const found = objectsOf(sight).find(
      ({ type, text }) => TERMINAL_TYPES.includes(String(type)) && typeof text === 'string',
    );
    return found === undefined
      ? undefined
      : `it answered an envelope with a frame of type ${String(found.type)}`;
  },
};

/** Most telling first: an agent that speaks several dialects is listed in this order. */
export const PROBES: readonly Probe[] = [nuum, agentprocV4, agentproc, nib, terminal];

/** A start without any question: whoever talks now talks to everybody. */
export const SILENCE: Start = { steps: [{ close: true }] };
