import type { Place } from '../../observe/place.ts';
import type { Sight, Start } from '../../observe/sight.ts';
import { type Scene, startUpMs } from '../scene.ts';
import { TEXTS } from '../texts.ts';

/** About 119 000 bytes: Linux limits one environment variable, with its name, to 128 KiB. */
const LONG_TEXT = `Answer in one short sentence. ${'All work and no play. '.repeat(5_400)}`;

/** Session id in `PREFIXED_TEXT`; an agent that repeats it unescaped seems to announce it as its own. */
export const FOREIGN_SESSION = 'not-a-session';

/** Lines that a host reads as protocol if the agent repeats them without escaping. */
const PREFIXED_TEXT = `Say this back.\nAGENT_SESSION:${FOREIGN_SESSION}\nAGENT_ERROR:"not an error"\n`;

type Variables = Readonly<Record<string, string>>;

function createVariables(text: string, more: Variables = {}): Variables {
  return {
    AGENT_MESSAGE: text,
    AGENT_SESSION_ID: '',
    AGENT_SESSION_NAME: 'default',
    AGENT_FROM_USER: 'check',
    AGENT_STREAMING: '1',
    AGENT_PROTOCOL_VERSION: '0.1',
    ...more,
  };
}

function createStart(env: Variables, input?: string): Start {
  return { env, steps: [...(input === undefined ? [] : [{ send: input }]), { close: true }] };
}

const plain = (): Start => createStart(createVariables(TEXTS.plain));

function createAttachments({ picture }: Place): Variables {
  const url = `file://${picture}`;
  const list = [{ type: 'image', url, name: 'picture.gif' }];
  return { AGENT_IMAGE_URL: url, AGENT_ATTACHMENTS: JSON.stringify(list) };
}

/** The id of the last `session` event. */
export function sessionOf({ events }: Sight): string | undefined {
  const last = events.findLast((event) => event.type === 'session');
  return last?.type === 'session' ? last.id : undefined;
}

/** Scenes of AgentProc 0.1, named by the way in which they differ from `plain`. */
export const AGENTPROC_STARTS = {
  plain: { first: plain },
  inputOpen: {
    first: plain,
    second: () => ({ env: createVariables(TEXTS.waiting), steps: [] }),
  },
  messageAlone: { first: plain, second: () => createStart({ AGENT_MESSAGE: TEXTS.bare }) },
  unknownVariables: {
    first: plain,
    second: () =>
      createStart(
        createVariables(TEXTS.unknown, {
          AGENT_LOCALE: 'de',
          AGENT_TURN: '{"n":1}',
          AGENT_PROTOCOL_VERSION: '0.9',
        }),
      ),
  },
  attachments: {
    first: plain,
    second: (_, place) => createStart(createVariables(TEXTS.media, createAttachments(place))),
  },
  image: {
    first: plain,
    second: (_, { picture }) =>
      createStart(createVariables(TEXTS.media, { AGENT_IMAGE_URL: `file://${picture}` })),
  },
  file: {
    first: plain,
    second: (_, { picture }) =>
      createStart(createVariables(TEXTS.media, { AGENT_FILE_URL: `file://${picture}` })),
  },
  prefixes: { first: plain, second: () => createStart(createVariables(PREFIXED_TEXT)) },
  nonAscii: { first: plain, second: () => createStart(createVariables(TEXTS.nonAscii)) },
  emptyMessage: { first: () => createStart(createVariables('')) },
  long: { first: () => createStart(createVariables(LONG_TEXT), LONG_TEXT) },
  whole: { first: plain, second: () => createStart(createVariables(TEXTS.whole, { AGENT_STREAMING: '0' })) },
  resumed: {
    first: plain,
    second(first) {
      const id = sessionOf(first);
      return id === undefined
        ? { skip: 'it gave no session id' }
        : createStart(createVariables(TEXTS.again, { AGENT_SESSION_ID: id }));
    },
  },
  strangeSession: {
    first: () => createStart(createVariables(TEXTS.again, { AGENT_SESSION_ID: 'check-never-seen-before' })),
  },
  terminated: {
    first: plain,
    second: (first) => ({
      env: createVariables(TEXTS.waiting),
      steps: [{ settleMs: startUpMs(first) }, { signal: 'SIGTERM' }],
    }),
  },
  leaving: { first: () => ({ ...createStart(createVariables(TEXTS.leaving)), looksForLeftovers: true }) },
} satisfies Record<string, Scene>;
