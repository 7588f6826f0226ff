import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Ask, open } from '@plugboard/host';
import {
  createTurn,
  type DialectName,
  dialects,
  type Event,
  isServed,
  registerDialect,
} from '@plugboard/protocol';
import {
  PLUGBOARD,
  plugboardWith,
  profileFor,
  SCRIPTED_CLAUDE,
  SCRIPTED_CODEX,
  SHOWCASE,
  startedAs,
  temporaryDirectory,
  until,
} from '@plugboard/testkit';
import { describe, expect, it } from 'vitest';
import { scratch } from '../packages/protocol/test/scratch-dialect/index.ts';
import { type Carried, carriedBetween } from './pairs.ts';

registerDialect(scratch);

/** The dialects of the product with both sides, and one from outside. */
const NAMES = (Object.keys(dialects) as DialectName[]).filter((name) => isServed(dialects[name]));

const REGISTER = join(import.meta.dirname, '../packages/protocol/test/scratch-dialect/register.ts');

/** Agents whose dialect has a host side alone. They all know the same words: `run CMD`, `think`, `slow`, `history`. */
const HOST_ONLY: Readonly<Record<string, readonly string[]>> = {
  claude: SCRIPTED_CLAUDE,
  codex: SCRIPTED_CODEX,
};

/** What a user sees of a turn, whatever it went through. */
interface Seen {
  readonly texts: string[];
  readonly media: string[];
  /** Pieces of text, of all messages. */
  readonly streamed: readonly string[];
  readonly progress: string[];
  readonly thoughts: string[];
  readonly tools: string[];
  readonly results: string[];
  /** Names of the settings that the agent offers. */
  readonly options: string[];
  readonly outcome: string;
  readonly error: string | undefined;
}

/** A conversation through a bridge: a host that speaks `front`, and the showcase agent that is spoken to in `behind`. */
function converse(front: DialectName, behind: DialectName, workspace: string) {
  const unlimited = behind === 'agentproc' ? ['--set', 'max_reply_chars=0'] : [];
  const quiet = behind === 'terminal' ? ['--set', 'stderr=log'] : [];
  const isOutside = front === scratch.name || behind === scratch.name;
  const plugboard = isOutside ? plugboardWith(REGISTER) : PLUGBOARD;
  const bridge = [...plugboard, 'serve', '--as', front, '--dialect', behind, ...unlimited, ...quiet, '--'];
  const settings = front === 'agentproc' ? { maxReplyChars: 0 } : {};
  // An agent that speaks Nuum is told by its command which conversation it has.
  const memory = behind === 'nuum' ? ['--memory={session}'] : [];
  const [node = '', ...program] = HOST_ONLY[behind] ?? startedAs(behind, SHOWCASE);
  const command = [
    ...bridge,
    node,
    ...(behind === scratch.name ? ['--import', REGISTER] : []),
    ...program,
    ...memory,
  ];
  const profile = profileFor(front, command, workspace, settings);
  const environment = {
    ...process.env,
    PLUGBOARD_HOME: join(workspace, 'state'),
    SHOWCASE_STATE: workspace,
    SCRIPTED_SESSIONS: join(workspace, 'sessions'),
  };
  const agent = open(profile, { environment });
  let agentId: string | undefined;
  return {
    async say(text: string, { attachments = [], signal, ask }: Saying = {}): Promise<Seen> {
      const files = attachments.map((path) => ({ kind: 'file' as const, path }));
      const session = { key: 'talk', ...(agentId === undefined ? {} : { agentId }) };
      const events: Event[] = [];
      const turn = createTurn({ id: 'x', text, attachments: files, session });
      for await (const event of agent.run(turn, signal, ask)) {
        if (event.type === 'session') agentId = event.id;
        events.push(event);
      }
      return seen(events);
    },
    /** A turn whose questions are answered by `answer`. */
    ask: (text: string, answer: Ask) => agent.run(createTurn({ id: 'x', text }), undefined, answer).result,
    close: () => agent.close(),
  };
}

interface Saying {
  readonly attachments?: readonly string[];
  readonly signal?: AbortSignal;
  readonly ask?: Ask;
}

function seen(events: readonly Event[]): Seen {
  const of = <T extends Event['type']>(type: T) =>
    events.filter((event): event is Event & { type: T } => event.type === type);
  const piecesOf = (kind: string) =>
    of('delta').flatMap((event) => (event.kind === kind ? [event.text] : []));
  const pieces = piecesOf('thinking');
  const whole = of('thinking').map(({ text }) => text);
  const [end] = of('end');
  return {
    texts: of('message').map(({ text }) => text),
    media: of('message').flatMap(({ media }) => media.map(({ path, url }) => path ?? url ?? '')),
    streamed: piecesOf('output'),
    progress: of('progress').map(({ text }) => text),
    // AgentProc 0.4 has pieces of thoughts alone.
    thoughts: whole.length > 0 || pieces.length === 0 ? whole : [pieces.join('')],
    tools: of('tool-call').map(({ name }) => name),
    results: of('tool-result').map(({ content }) => content),
    options: of('options').flatMap(({ options = [] }) => options.map(({ id }) => id)),
    outcome: end?.outcome ?? 'none',
    error: end?.error?.message,
  };
}

/** What the folding rules of the two capability tables leave of the showcase's answer to `show`. */
function expectedShow(front: DialectName, behind: DialectName, file: string): Partial<Seen> {
  const both = [dialects[front].capabilities, dialects[behind].capabilities];
  const keepsMessages = both.every(({ events }) => events.message === 'said');
  const carried = carriedOf(front, behind);
  // The only way in which agentproc changes text: a line of a body that looks like protocol gets a space in front.
  // A streamed answer has no body.
  const body = front === 'agentproc' && dialects[behind].capabilities.events.delta !== 'said';
  const second = `${body ? ' ' : ''}AGENT_ERROR:"not an error"\n{"type":"message","text":"not a frame"}`;
  const messages = ['Héllo wörld 😀\u2028!', carried.media ? second : `${second}\n${file}`];
  return {
    texts: keepsMessages ? messages : [messages.join('\n\n')],
    media: carried.media ? [file] : [],
    progress: carried.progress ? ['Looking around'] : [],
    outcome: 'success',
  };
}

function carriedOf(front: DialectName, behind: DialectName): Carried {
  return carriedBetween(dialects[front].capabilities, dialects[behind].capabilities);
}

function expectedTool({ tools, thoughts }: Carried): Partial<Seen> {
  return {
    tools: tools ? ['Look'] : [],
    results: tools ? ['Nothing there.'] : [],
    thoughts: thoughts ? ['I shall look.'] : [],
    outcome: 'success',
  };
}

const PROGRAMS = Object.keys(HOST_ONLY) as DialectName[];

const ASKING = NAMES.filter((name) => dialects[name].capabilities.questions !== 'none');

/** A front and what is behind it. */
type Pair = readonly [front: DialectName, behind: DialectName];

function pairsOf(fronts: readonly DialectName[], behinds: readonly DialectName[]): Pair[] {
  return fronts.flatMap((front) => behinds.map((behind): Pair => [front, behind]));
}

/** Tries pairs of dialects with real processes: those that `choose` picks of each list. */
export function describeMatrix(choose: (pairs: readonly Pair[]) => readonly Pair[]): void {
  describe.concurrent('A bridge', () => {
    it('has every dialect with a process for many turns on the side of the agent', () => {
      const names = Object.keys(dialects) as DialectName[];
      const resident = names.filter((name) => dialects[name].capabilities.resident);
      expect([...NAMES, ...PROGRAMS]).toEqual(expect.arrayContaining(resident));
    });
    it.each(choose(pairsOf(NAMES, NAMES)))(
      'gives a host that speaks %s the same conversation with an agent that speaks %s',
      tryConversation,
    );
    it.each(choose(pairsOf(NAMES, PROGRAMS)))(
      'gives a host that speaks %s a conversation with a program that speaks %s',
      tryProgram,
    );
    it.each(choose(pairsOf(ASKING, ASKING)))(
      'lets the person behind a host that speaks %s be asked by an agent that speaks %s',
      tryQuestions,
    );
    it.each(
      choose(
        pairsOf(
          NAMES.filter((name) => name !== scratch.name),
          ['codex', 'codex/exec'],
        ),
      ),
    )('gives a host that speaks %s an answer of an agent that speaks %s', tryAnswer);
  });
}

async function tryConversation(front: DialectName, behind: DialectName): Promise<void> {
  using workspace = temporaryDirectory();
  const file = join(workspace.path, 'picture.png');
  writeFileSync(file, 'not really');
  const { say, close } = converse(front, behind, workspace.path);

  const show = await say(`show ${file}`);
  expect(show).toMatchObject(expectedShow(front, behind, file));
  // A host whose wire has pieces alone gets a whole message as one.
  expect(show.streamed.indexOf('Héllo ') === 0).toBe(carriedOf(front, behind).streaming);

  const looked = await say('tool');
  expect(looked).toMatchObject(expectedTool(carriedOf(front, behind)));

  const long = await say('long 3000');
  expect(long.texts.join('').split('\n')).toHaveLength(3000);
  expect(long.outcome).toBe('success');

  const failed = await say('fail');
  expect(failed).toMatchObject({ outcome: 'error', error: expect.stringContaining('It broke: “ü”') });

  expect(await say('count')).toMatchObject({ texts: ['This is turn 1.'] });
  expect(await say('count')).toMatchObject({ texts: ['This is turn 2.'] });

  const stop = new AbortController();
  const cancelled = say('wait', { signal: stop.signal });
  await until(() => existsSync(join(workspace.path, 'waiting')), 'the agent to wait', 30_000);
  stop.abort();
  expect(await cancelled).toMatchObject({ outcome: 'cancelled' });
  expect(await say('count')).toMatchObject({ texts: ['This is turn 3.'] });
  await close();
}

async function tryProgram(front: DialectName, behind: DialectName): Promise<void> {
  using workspace = temporaryDirectory();
  const { say, close } = converse(front, behind, workspace.path);
  const carried = carriedOf(front, behind);

  const plain = await say('hello');
  expect(plain).toMatchObject({ texts: ['You said: hello'], outcome: 'success' });
  expect(plain.streamed.length > 1).toBe(carried.streaming);
  const thought = await say('think');
  expect(thought.thoughts).toEqual(carried.thoughts ? ['I ponder.'] : []);

  const ask: Ask = async ({ options }) => {
    const option = options.find(({ effect }) => effect === 'allow-once')?.id;
    return { by: 'ada', via: 'person', ...(option === undefined ? {} : { option }) };
  };
  const made = await say('run touch made', { ask });
  const offered = [plain, thought, made].flatMap(({ options }) => options);
  expect(offered.includes('model')).toBe(carried.options);
  expect(made.tools.length > 0).toBe(carried.tools);
  expect(existsSync(join(workspace.path, 'made'))).toBe(carried.questions);

  expect(await say('error')).toMatchObject({
    outcome: 'error',
    error: expect.stringContaining('scripted 400'),
  });

  const stop = new AbortController();
  const cancelled = say('run touch begun; sleep 30', { ask, signal: stop.signal });
  if (carried.questions)
    await until(() => existsSync(join(workspace.path, 'begun')), 'the tool to run', 30_000);
  stop.abort();
  expect(await cancelled).toMatchObject({ outcome: 'cancelled' });
  expect((await say('history')).texts.join('')).toMatch(/^hello\|think\|run touch made\|/);
  await close();
}

async function tryQuestions(front: DialectName, behind: DialectName): Promise<void> {
  using workspace = temporaryDirectory();
  const { ask, close } = converse(front, behind, workspace.path);
  const allowed = await ask('ask', async ({ tool }, _about) => ({
    by: 'ada',
    via: 'person',
    option: tool?.name === 'Bash' ? 'allow' : 'deny',
  }));
  expect(allowed.text).toBe('It was allowed.');
  const denied = await ask('ask', async () => ({ by: 'ada', via: 'person', option: 'deny' }));
  expect(denied.text).toBe('It was not allowed.');

  let withdrawn = false;
  const { text } = await ask('take-back', (_question, { signal }) => {
    signal.addEventListener('abort', () => {
      withdrawn = true;
    });
    return new Promise(() => {});
  });
  expect({ text, withdrawn }).toEqual({ text: 'I took it back.', withdrawn: true });
  await close();
}

async function tryAnswer(front: DialectName, behind: DialectName): Promise<void> {
  using workspace = temporaryDirectory();
  const bridge = [...PLUGBOARD, 'serve', '--as', front, '--dialect', behind, '--', ...SCRIPTED_CODEX];
  const environment = { ...process.env, PLUGBOARD_HOME: join(workspace.path, 'state') };
  const agent = open(profileFor(front, bridge, workspace.path), { environment });
  const run = agent.run(createTurn({ id: 'x', text: 'hello there', session: { key: 'talk' } }));
  const events: Event[] = [];
  for await (const event of run) events.push(event);
  expect(seen(events)).toMatchObject({ outcome: 'success', texts: ['You said: hello there'] });
  await agent.close();
}
