import type { Handler, Result, TurnIO } from '@plugboard/agent';
import { operationNamed, operationPrompt, type Turn } from '@plugboard/protocol';
import { answering } from '../answering.ts';
import { BackendError } from '../failure.ts';
import { writeGuide } from '../guide.ts';
import { fieldOf, pathsOf, projectOf, sessionOf } from '../request.ts';
import { DATA_TEMPERATURE, temperatureFor } from './effort.ts';
import { work } from './loop.ts';
import type { Ask } from './model/ask.ts';
import { DATA_PROMPT, systemPrompt } from './prompt.ts';
import type { LocalSettings } from './settings.ts';
import { askForData, withFiles } from './structured.ts';
import { exchange, lastWords, openTalk, type Talk } from './talk/talk.ts';
import { offered } from './tools/offered.ts';

/** What the backend gets from the world around it. */
export interface World {
  readonly cwd: string;
  /** Of programs that a tool starts. */
  readonly environment: Readonly<Record<string, string>>;
  /** Where conversations are kept. */
  readonly state: string;
  readonly now: () => number;
  /** Text of the model for stdout, which may be a terminal. */
  readonly show: (text: string) => string;
  readonly settings: (root: string, signal: AbortSignal) => Promise<LocalSettings>;
  readonly ask: (settings: LocalSettings) => Ask;
}

/** The backend as a nib host can talk to it. Lines that follow an interactive operation belong to its conversation. */
export function createHandler(world: World): Handler {
  let talk: Talk | undefined;
  return answering(async (turn, io) => {
    if (turn.operation === undefined && talk !== undefined) return exchange(talk, turn.text, io, world.show);
    const root = projectOf(turn, world.cwd);
    const name = turn.operation?.name;
    if (name === 'project-scaffold')
      return { files: writeGuide(root, 'AGENTS.md', fieldOf(turn, 'project_name')) };
    const problem = missing(turn);
    if (problem !== undefined) throw new BackendError('incomplete', problem);
    const settings = await world.settings(root, io.signal);
    if (name === 'continuity-index') return index(turn, root, world.ask(settings), io.signal);
    const job = jobOf(turn, root, settings, world);
    if (name !== undefined && operationNamed(name).mode === 'pipe') return answer(turn, job, io);
    talk = openTalk(job, sessionOf(turn), { ...world, root, log: (text) => void io.log(text) });
    if (sessionOf(turn)?.resume === true) return world.show(lastWords(talk));
    return exchange(talk, operationPrompt(turn), io, world.show);
  });
}

const NEEDED: Readonly<Record<string, string>> = {
  'scene-proof': 'paths',
  'chapter-proof': 'paths',
  'scene-critique': 'paths',
  'chapter-critique': 'paths',
  'manuscript-critique': 'paths',
  'continuity-check': 'paths',
  'continuity-ask': 'question',
  'manuscript-search': 'question',
  'continuity-index': 'context',
};

/** A request that lacks what it is about is refused before a model is asked to guess. */
function missing(turn: Turn): string | undefined {
  const name = turn.operation?.name ?? '';
  const field = Object.hasOwn(NEEDED, name) ? NEEDED[name] : undefined;
  if (field === undefined) return undefined;
  const isThere = field === 'paths' ? pathsOf(turn).length > 0 : fieldOf(turn, field).trim() !== '';
  return isThere ? undefined : `The request for ${name} has no \`${field}\`.`;
}

/** The tools, the limits and the temperature of an operation. */
function jobOf(turn: Turn, root: string, settings: LocalSettings, world: World): Talk['work'] {
  const workplace = { root, paths: pathsOf(turn), env: world.environment };
  const tools = offered(turn.operation?.name, workplace);
  return {
    ask: world.ask(settings),
    system: systemPrompt(tools),
    tools,
    temperature: temperatureFor(fieldOf(turn, 'effort')),
    maxCalls: settings.maxCalls,
  };
}

async function answer(turn: Turn, job: Talk['work'], io: TurnIO): Promise<string> {
  const reply = await work({
    ...job,
    said: [{ role: 'user', text: operationPrompt(turn) }],
    signal: io.signal,
    onStep: (text) => void io.progress(text),
  });
  if (!reply.cut) return reply.text;
  throw new BackendError(
    'cut-off',
    'The answer of the model was cut off: set NIB_LOCAL_MAX_TOKENS higher, or ask about less at once.',
  );
}

async function index(turn: Turn, root: string, ask: Ask, signal: AbortSignal): Promise<Result> {
  const data = await askForData(ask, {
    system: DATA_PROMPT,
    temperature: DATA_TEMPERATURE,
    text: withFiles(operationPrompt(turn), root, fieldOf(turn, 'dir')),
    schema: turn.schema ?? { type: 'object' },
    signal,
  });
  return { data };
}
