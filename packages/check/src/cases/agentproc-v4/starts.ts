import type { JsonObject } from '@plugboard/protocol';
import type { Start } from '../../observe/sight.ts';
import { sessionOf } from '../agentproc/starts.ts';
import type { Scene } from '../scene.ts';
import { LARGE_TEXT, TEXTS } from '../texts.ts';

function turnLine(message: string, more: JsonObject = {}): string {
  return `${JSON.stringify({ type: 'turn', message, session_id: '', protocol_version: '0.4', ...more })}\n`;
}

function given(line: string): Start {
  return { steps: [{ send: line }, { close: true }] };
}

const plain = (): Start => given(turnLine(TEXTS.plain, { session_name: 'default' }));

/** How an agent of wire 0.4 is started, by what is special about it. */
export const V4_STARTS = {
  plain: { first: plain },
  inputOpen: { first: plain, second: () => ({ steps: [{ send: turnLine(TEXTS.waiting) }] }) },
  bare: {
    first: plain,
    second: () => given(`${JSON.stringify({ type: 'turn', message: TEXTS.bare, session_id: '' })}\n`),
  },
  unknownFields: {
    first: plain,
    second: () =>
      given(turnLine(TEXTS.unknown, { locale: 'de', limits: { tokens: 100 }, protocol_version: '0.9' })),
  },
  attachments: {
    first: plain,
    second: (_, { picture }) =>
      given(
        turnLine(TEXTS.media, {
          attachments: [{ kind: 'image', url: `file://${picture}`, name: 'picture.gif' }],
        }),
      ),
  },
  nonAscii: { first: plain, second: () => given(turnLine(TEXTS.nonAscii)) },
  large: { first: () => given(turnLine(LARGE_TEXT)) },
  resumed: {
    first: plain,
    second(first) {
      const id = sessionOf(first);
      return id === undefined
        ? { skip: 'it gave no session id' }
        : given(turnLine(TEXTS.again, { session_id: id }));
    },
  },
  strangeSession: { first: () => given(turnLine(TEXTS.again, { session_id: 'check-never-seen-before' })) },
  broken: { first: () => given('{"type":"turn","message":"this is not whole\n') },
  terminated: { first: () => ({ steps: [{ pauseMs: 400 }, { signal: 'SIGTERM' }] }) },
  leaving: { first: () => ({ ...given(turnLine(TEXTS.leaving)), looksForLeftovers: true }) },
} satisfies Record<string, Scene>;
