import type { JsonObject } from '@plugboard/protocol';
import type { Place } from '../../observe/place.ts';
import type { Sight, Start } from '../../observe/sight.ts';
import { inTwoPieces, type Scene, startUpMs } from '../scene.ts';
import { LARGE_TEXT, TEXTS } from '../texts.ts';

/** What the answer to a continuity-index must conform to: small, but with every word of the language in it. */
export const INDEX_SCHEMA: JsonObject = {
  type: 'object',
  required: ['scene', 'facts'],
  properties: {
    scene: {
      type: 'object',
      required: ['pov', 'scene_type', 'summary'],
      properties: {
        pov: { type: 'string' },
        scene_type: { type: 'string', enum: ['regular', 'interlude', 'document'] },
        summary: { type: 'string' },
      },
    },
    facts: {
      type: 'array',
      items: {
        type: 'object',
        required: ['category', 'summary'],
        properties: {
          category: { type: 'string', enum: ['event', 'description', 'relationship', 'state'] },
          summary: { type: 'string' },
        },
      },
    },
  },
};

type Fields = (place: Place) => JsonObject;

/** What each operation carries beside its name and the project. */
const PIPE_OPERATIONS: Readonly<Record<string, Fields>> = {
  'scene-proof': ({ scenes }) => ({ paths: scenes.slice(0, 1) }),
  'chapter-proof': ({ scenes }) => ({ paths: scenes }),
  'voice-check': ({ scenes }) => ({ character_slug: 'anna', paths: scenes }),
  'continuity-check': ({ scenes }) => ({ paths: scenes }),
  'continuity-ask': () => ({ question: 'Who waits at the station?', range: '1-2' }),
  'continuity-index': () => ({
    context: 'Bo waits at the station at a quarter past nine.',
    schema: INDEX_SCHEMA,
  }),
  'project-scaffold': () => ({ project_name: 'check' }),
};

function request(place: Place, operation: string, fields: JsonObject): string {
  return JSON.stringify({ operation, dir: place.directory, ...fields });
}

function given(input: string): Start {
  return { steps: [{ send: input }, { close: true }] };
}

function asking(operation: string, fields: Fields): Scene {
  return {
    first: (place) => ({ ...given(request(place, operation, fields(place))), comparesFiles: true }),
  };
}

function talking(place: Place, operation: string, fields: JsonObject): Start {
  return { steps: [{ close: true }], requestFile: `${request(place, operation, fields)}\n` };
}

/** One scene for each pipe operation. */
export const OPERATION_SCENES: Readonly<Record<string, Scene>> = Object.fromEntries(
  Object.entries(PIPE_OPERATIONS).map(([operation, fields]) => [operation, asking(operation, fields)]),
);

const ask = asking('continuity-ask', () => ({ question: TEXTS.plain })).first;

const talk = (place: Place): Start =>
  talking(place, 'character-talk', { context: 'You are Anna.', session: { id: 'check' } });

/** One scene for each of the other interactive operations. */
export const CRITIQUE_SCENES: Readonly<Record<string, Scene>> = {
  'scene-critique': {
    first: (place) => talking(place, 'scene-critique', { paths: place.scenes.slice(0, 1) }),
  },
  'chapter-critique': { first: (place) => talking(place, 'chapter-critique', { paths: place.scenes }) },
};

/** How a nib agent is started otherwise, by what is special about it. */
export const NIB_STARTS = {
  again: (_: Sight, place: Place): Start =>
    given(request(place, 'continuity-ask', { question: TEXTS.again })),
  ask: { first: ask },
  unknownOperation: asking('check-unheard-of', () => ({})),
  search: asking('manuscript-search', ({ scenes }) => ({ paths: scenes, question: 'station' })),
  unknownFields: {
    first: ask,
    second: (_, place) =>
      given(
        request(place, 'continuity-ask', { question: TEXTS.unknown, effort: 'low', style: { tone: 'dry' } }),
      ),
  },
  bare: { first: () => given('{"operation":"continuity-ask"}') },
  nonAscii: {
    first: ask,
    second: (_, place) => given(request(place, 'continuity-ask', { question: TEXTS.nonAscii })),
  },
  large: {
    first: (place) =>
      given(request(place, 'continuity-index', { context: LARGE_TEXT, schema: INDEX_SCHEMA })),
  },
  talk: { first: talk },
  talkAgain: {
    first: talk,
    second: (_, place) => talking(place, 'character-talk', { session: { id: 'check', resume: true } }),
    keepsPlace: true,
  },
  talkAnew: {
    first: talk,
    second: (_, place) =>
      talking(place, 'character-talk', { context: 'You are Anna.', session: { id: 'check', new: true } }),
    keepsPlace: true,
  },
  split: {
    first: ask,
    second: (_, place) => ({
      steps: [...inTwoPieces(request(place, 'continuity-ask', { question: TEXTS.again })), { close: true }],
    }),
  },
  fileGone: {
    first: ask,
    second: (_, place) => ({
      ...given(request(place, 'continuity-ask', { question: TEXTS.again })),
      env: { NIB_AGENT_REQUEST_FILE: `${place.directory}/not-there.json` },
    }),
  },
  terminated: {
    first: ask,
    second: (first) => ({ steps: [{ pauseMs: startUpMs(first) }, { signal: 'SIGTERM' }] }),
  },
  leaving: {
    first: (place) => ({
      ...given(request(place, 'continuity-ask', { question: TEXTS.leaving })),
      looksForLeftovers: true,
    }),
  },
} satisfies Record<string, Scene | Scene['second']>;
