import type { JsonObject } from '@plugboard/protocol';
import type { Place } from '../../observe/place.ts';
import type { Start, Step } from '../../observe/sight.ts';
import { inTwoPieces, type Scene, startUpMs } from '../scene.ts';
import { LARGE_TEXT, TEXTS } from '../texts.ts';

/** A JSON envelope with all required keys; `more` adds optional keys. */
function createEnvelope({ directory }: Place, text: string, more: JsonObject = {}): string {
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

function createStart(...input: readonly string[]): Start {
  return { steps: [...input.map((send): Step => ({ send })), { close: true }] };
}

function startFull(place: Place): Start {
  const providers = {
    example: { api_keys: ['not-a-key'], models: ['tiny'], base_url: 'http://127.0.0.1:9' },
  };
  return createStart(`${createEnvelope(place, TEXTS.plain, { media: [place.picture], providers })}\n`);
}

/** Scenes of terminal agents, named by the way in which they differ from `full`. */
export const TERMINAL_STARTS = {
  full: { first: startFull },
  bare: { first: startFull, second: (_, place) => createStart(`${createEnvelope(place, TEXTS.bare)}\n`) },
  unknownFields: {
    first: startFull,
    second: (_, place) =>
      createStart(
        `${createEnvelope(place, TEXTS.unknown, { media: [place.picture], locale: 'de', reply_to: { id: 7 }, version_minor: 2 })}\n`,
      ),
  },
  nonAscii: {
    first: startFull,
    second: (_, place) =>
      createStart(`${createEnvelope(place, TEXTS.nonAscii, { media: [place.picture] })}\n`),
  },
  emptyText: { first: (place) => createStart(`${createEnvelope(place, '', { media: [place.picture] })}\n`) },
  large: { first: (place) => createStart(`${createEnvelope(place, LARGE_TEXT)}\n`) },
  unfinished: {
    first: startFull,
    second: (_, place) => createStart(createEnvelope(place, TEXTS.again, { media: [place.picture] })),
  },
  broken: { first: () => createStart('{"version": 1, "text": "this is not whole\n') },
  split: {
    first: startFull,
    second: (first, place) => ({
      steps: [
        ...inTwoPieces(`${createEnvelope(place, TEXTS.again, { media: [place.picture] })}\n`, first),
        { close: true },
      ],
    }),
  },
  terminated: {
    first: startFull,
    second: (first) => ({ steps: [{ settleMs: startUpMs(first) }, { signal: 'SIGTERM' }] }),
  },
  leaving: {
    first: (place) => ({
      ...createStart(`${createEnvelope(place, TEXTS.leaving)}\n`),
      looksForLeftovers: true,
    }),
  },
} satisfies Record<string, Scene>;
