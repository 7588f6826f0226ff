import type { JsonObject } from '@plugboard/protocol';
import type { Place } from '../../observe/place.ts';
import type { Sight, Start } from '../../observe/sight.ts';
import { inTwoPieces, type Scene, startUpMs } from '../scene.ts';
import { LARGE_TEXT, TEXTS } from '../texts.ts';

/** Schema in a `continuity-index` request, with `required`, `enum`, nested objects and an array. */
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

/** Fields of each request in addition to `operation` and `dir`. */
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

function createRequest(place: Place, operation: string, fields: JsonObject): string {
  return JSON.stringify({ operation, dir: place.directory, ...fields });
}

function createStart(input: string): Start {
  return { steps: [{ send: input }, { close: true }] };
}

function createScene(operation: string, fields: Fields): Scene {
  return {
    first: (place) => ({
      ...createStart(createRequest(place, operation, fields(place))),
      comparesFiles: true,
    }),
  };
}

function startTalk(place: Place, operation: string, fields: JsonObject): Start {
  return { steps: [{ close: true }], requestFile: `${createRequest(place, operation, fields)}\n` };
}

/** One scene for each pipe operation. */
export const OPERATION_SCENES: Readonly<Record<string, Scene>> = Object.fromEntries(
  Object.entries(PIPE_OPERATIONS).map(([operation, fields]) => [operation, createScene(operation, fields)]),
);

const ask = createScene('continuity-ask', () => ({ question: TEXTS.plain })).first;

const talk = (place: Place): Start =>
  startTalk(place, 'character-talk', { context: 'You are Anna.', session: { id: 'check' } });

/** One scene for each interactive operation other than `character-talk`. */
export const CRITIQUE_SCENES: Readonly<Record<string, Scene>> = {
  'scene-critique': {
    first: (place) => startTalk(place, 'scene-critique', { paths: place.scenes.slice(0, 1) }),
  },
  'chapter-critique': { first: (place) => startTalk(place, 'chapter-critique', { paths: place.scenes }) },
};

/** Scenes other than `OPERATION_SCENES` and `CRITIQUE_SCENES`, named by the way in which they differ from `ask`. */
export const NIB_STARTS = {
  again: (_: Sight, place: Place): Start =>
    createStart(createRequest(place, 'continuity-ask', { question: TEXTS.again })),
  ask: { first: ask },
  unknownOperation: createScene('check-unheard-of', () => ({})),
  search: createScene('manuscript-search', ({ scenes }) => ({ paths: scenes, question: 'station' })),
  unknownFields: {
    first: ask,
    second: (_, place) =>
      createStart(
        createRequest(place, 'continuity-ask', {
          question: TEXTS.unknown,
          effort: 'low',
          style: { tone: 'dry' },
        }),
      ),
  },
  bare: { first: () => createStart('{"operation":"continuity-ask"}') },
  nonAscii: {
    first: ask,
    second: (_, place) => createStart(createRequest(place, 'continuity-ask', { question: TEXTS.nonAscii })),
  },
  large: {
    first: (place) =>
      createStart(createRequest(place, 'continuity-index', { context: LARGE_TEXT, schema: INDEX_SCHEMA })),
  },
  talk: { first: talk },
  talkAgain: {
    first: talk,
    second: (_, place) => startTalk(place, 'character-talk', { session: { id: 'check', resume: true } }),
    keepsPlace: true,
  },
  talkAnew: {
    first: talk,
    second: (_, place) =>
      startTalk(place, 'character-talk', { context: 'You are Anna.', session: { id: 'check', new: true } }),
    keepsPlace: true,
  },
  split: {
    first: ask,
    second: (first, place) => ({
      steps: [
        ...inTwoPieces(createRequest(place, 'continuity-ask', { question: TEXTS.again }), first),
        { close: true },
      ],
    }),
  },
  fileGone: {
    first: ask,
    second: (_, place) => ({
      ...createStart(createRequest(place, 'continuity-ask', { question: TEXTS.again })),
      env: { NIB_AGENT_REQUEST_FILE: `${place.directory}/not-there.json` },
    }),
  },
  terminated: {
    first: ask,
    second: (first) => ({ steps: [{ settleMs: startUpMs(first) }, { signal: 'SIGTERM' }] }),
  },
  leaving: {
    first: (place) => ({
      ...createStart(createRequest(place, 'continuity-ask', { question: TEXTS.leaving })),
      looksForLeftovers: true,
    }),
  },
} satisfies Record<string, Scene | Scene['second']>;
