import { isObject, type JsonObject, parseJson } from '@plugboard/protocol';
import type { Start } from '../../observe/sight.ts';
import { sessionOf } from '../agentproc/starts.ts';
import { inTwoPieces, type Scene, startUpMs } from '../scene.ts';
import { LARGE_TEXT, NON_ASCII, TEXTS } from '../texts.ts';

function turnLine(message: string, more: JsonObject = {}): string {
  return `${JSON.stringify({ type: 'turn', message, session_id: '', protocol_version: '0.4', ...more })}\n`;
}

function createStart(line: string): Start {
  return { steps: [{ send: line }, { close: true }] };
}

const plain = (): Start => createStart(turnLine(TEXTS.plain, { session_name: 'default' }));

/** Answers a `permission_request` with `behavior: deny`; other lines get no answer. */
function denyPermission(line: string): string | undefined {
  const parsed = parseJson(line);
  if (!parsed.ok || !isObject(parsed.value) || parsed.value.type !== 'permission_request') return undefined;
  const { request_id } = parsed.value;
  return `${JSON.stringify({ type: 'permission_response', request_id, behavior: 'deny', message: 'Not in a check.' })}\n`;
}

/** Scenes of AgentProc wire 0.4, named by the way in which they differ from `plain`. */
export const V4_STARTS = {
  plain: { first: plain },
  inputOpen: {
    first: plain,
    second: () => ({
      steps: [{ send: turnLine(TEXTS.waiting, { permission: true }) }],
      reply: denyPermission,
    }),
  },
  split: {
    first: plain,
    second: (first) => ({ steps: [...inTwoPieces(turnLine(TEXTS.again), first), { close: true }] }),
  },
  bare: {
    first: plain,
    second: () => createStart(`${JSON.stringify({ type: 'turn', message: TEXTS.bare, session_id: '' })}\n`),
  },
  unknownFields: {
    first: plain,
    second: () =>
      createStart(
        turnLine(TEXTS.unknown, { locale: 'de', limits: { tokens: 100 }, protocol_version: '0.9' }),
      ),
  },
  attachments: {
    first: plain,
    second: (_, { picture }) =>
      createStart(
        turnLine(TEXTS.media, {
          attachments: [{ kind: 'image', url: `file://${picture}`, name: 'picture.gif' }],
        }),
      ),
  },
  nonAscii: { first: plain, second: () => createStart(turnLine(TEXTS.nonAscii)) },
  repeated: { first: plain, second: () => createStart(turnLine(`${NON_ASCII}: say it back.`)) },
  large: { first: () => createStart(turnLine(LARGE_TEXT.slice(0, 100_000))) },
  resumed: {
    first: plain,
    second(first) {
      const id = sessionOf(first);
      return id === undefined
        ? { skip: 'it gave no session id' }
        : createStart(turnLine(TEXTS.again, { session_id: id }));
    },
  },
  strangeSession: {
    first: () => createStart(turnLine(TEXTS.again, { session_id: 'check-never-seen-before' })),
  },
  broken: { first: () => createStart('{"type":"turn","message":"this is not whole\n') },
  terminated: {
    first: plain,
    second: (first) => ({ steps: [{ settleMs: startUpMs(first) }, { signal: 'SIGTERM' }] }),
  },
  leaving: { first: () => ({ ...createStart(turnLine(TEXTS.leaving)), looksForLeftovers: true }) },
} satisfies Record<string, Scene>;
