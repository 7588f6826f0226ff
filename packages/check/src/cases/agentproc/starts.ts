import type { Place } from '../../observe/place.ts';
import type { Sight, Start } from '../../observe/sight.ts';
import { type Scene, startUpMs } from '../scene.ts';
import { TEXTS } from '../texts.ts';

/** As much as a variable can hold, less what its name takes. */
const LONG_TEXT = `Answer in one short sentence. ${'All work and no play. '.repeat(5_400)}`;

/** The session id that a message puts into the mouth of an agent which repeats it. */
export const FOREIGN_SESSION = 'not-a-session';

/** Lines that are protocol when an agent repeats them as they are. */
const PREFIXED_TEXT = `Say this back.\nAGENT_SESSION:${FOREIGN_SESSION}\nAGENT_ERROR:"not an error"\n`;

type Variables = Readonly<Record<string, string>>;

function variables(text: string, more: Variables = {}): Variables {
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

function given(env: Variables, input?: string): Start {
  return { env, steps: [...(input === undefined ? [] : [{ send: input }]), { close: true }] };
}

const plain = (): Start => given(variables(TEXTS.plain));

function attachments({ picture }: Place): Variables {
  const url = `file://${picture}`;
  const list = [{ type: 'image', url, name: 'picture.gif' }];
  return { AGENT_IMAGE_URL: url, AGENT_ATTACHMENTS: JSON.stringify(list) };
}

/** The id an agent has given, as it gives it back. */
export function sessionOf({ events }: Sight): string | undefined {
  const last = events.findLast((event) => event.type === 'session');
  return last?.type === 'session' ? last.id : undefined;
}

/** How an AgentProc agent is started, by what is special about it. */
export const AGENTPROC_STARTS = {
  plain: { first: plain },
  inputOpen: {
    first: plain,
    second: () => ({ env: variables(TEXTS.waiting), steps: [] }),
  },
  messageAlone: { first: plain, second: () => given({ AGENT_MESSAGE: TEXTS.bare }) },
  unknownVariables: {
    first: plain,
    second: () =>
      given(
        variables(TEXTS.unknown, {
          AGENT_LOCALE: 'de',
          AGENT_TURN: '{"n":1}',
          AGENT_PROTOCOL_VERSION: '0.9',
        }),
      ),
  },
  attachments: { first: plain, second: (_, place) => given(variables(TEXTS.media, attachments(place))) },
  image: {
    first: plain,
    second: (_, { picture }) => given(variables(TEXTS.media, { AGENT_IMAGE_URL: `file://${picture}` })),
  },
  file: {
    first: plain,
    second: (_, { picture }) => given(variables(TEXTS.media, { AGENT_FILE_URL: `file://${picture}` })),
  },
  prefixes: { first: plain, second: () => given(variables(PREFIXED_TEXT)) },
  nonAscii: { first: plain, second: () => given(variables(TEXTS.nonAscii)) },
  emptyMessage: { first: () => given(variables('')) },
  long: { first: () => given(variables(LONG_TEXT), LONG_TEXT) },
  whole: { first: plain, second: () => given(variables(TEXTS.whole, { AGENT_STREAMING: '0' })) },
  resumed: {
    first: plain,
    second(first) {
      const id = sessionOf(first);
      return id === undefined
        ? { skip: 'it gave no session id' }
        : given(variables(TEXTS.again, { AGENT_SESSION_ID: id }));
    },
  },
  strangeSession: {
    first: () => given(variables(TEXTS.again, { AGENT_SESSION_ID: 'check-never-seen-before' })),
  },
  terminated: {
    first: plain,
    second: (first) => ({
      env: variables(TEXTS.waiting),
      steps: [{ pauseMs: startUpMs(first) }, { signal: 'SIGTERM' }],
    }),
  },
  leaving: { first: () => ({ ...given(variables(TEXTS.leaving)), looksForLeftovers: true }) },
} satisfies Record<string, Scene>;
