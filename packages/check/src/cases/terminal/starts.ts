import type { JsonObject } from '@plugboard/protocol';
import type { Place } from '../../observe/place.ts';
import type { Start, Step } from '../../observe/sight.ts';
import { inTwoPieces, type Scene, startUpMs } from '../scene.ts';
import { LARGE_TEXT, TEXTS } from '../texts.ts';

/** The keys that every envelope has. */
function envelope({ directory }: Place, text: string, more: JsonObject = {}): string {
  return JSON.stringify({
    version: 1,
    text,
    ...more,
    channel: 'cli',
    chat_id: 'check',
    session_key: 'cli:check',
    workspace: directory,
    user_data_dir: `${directory}/users/check`,
  });
}

function given(...input: readonly string[]): Start {
  return { steps: [...input.map((send): Step => ({ send })), { close: true }] };
}

function full(place: Place): Start {
  const providers = {
    example: { api_keys: ['not-a-key'], models: ['tiny'], base_url: 'http://127.0.0.1:9' },
  };
  return given(`${envelope(place, TEXTS.plain, { media: [place.picture], providers })}\n`);
}

/** How a terminal agent is started, by what is special about it. */
export const TERMINAL_STARTS = {
  full: { first: full },
  bare: { first: full, second: (_, place) => given(`${envelope(place, TEXTS.bare)}\n`) },
  unknownFields: {
    first: full,
    second: (_, place) =>
      given(
        `${envelope(place, TEXTS.unknown, { media: [place.picture], locale: 'de', reply_to: { id: 7 }, version_minor: 2 })}\n`,
      ),
  },
  nonAscii: {
    first: full,
    second: (_, place) => given(`${envelope(place, TEXTS.nonAscii, { media: [place.picture] })}\n`),
  },
  emptyText: { first: (place) => given(`${envelope(place, '', { media: [place.picture] })}\n`) },
  large: { first: (place) => given(`${envelope(place, LARGE_TEXT)}\n`) },
  unfinished: {
    first: full,
    second: (_, place) => given(envelope(place, TEXTS.again, { media: [place.picture] })),
  },
  broken: { first: () => given('{"version": 1, "text": "this is not whole\n') },
  split: {
    first: full,
    second: (_, place) => ({
      steps: [
        ...inTwoPieces(`${envelope(place, TEXTS.again, { media: [place.picture] })}\n`),
        { close: true },
      ],
    }),
  },
  terminated: {
    first: full,
    second: (first) => ({ steps: [{ pauseMs: startUpMs(first) }, { signal: 'SIGTERM' }] }),
  },
  leaving: {
    first: (place) => ({ ...given(`${envelope(place, TEXTS.leaving)}\n`), looksForLeftovers: true }),
  },
} satisfies Record<string, Scene>;
