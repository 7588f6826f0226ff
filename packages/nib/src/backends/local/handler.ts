import type { Handler, Result, TurnIO } from '@plugboard/agent';
import { operationNamed, operationPrompt, type Turn } from '@plugboard/protocol';
import { BackendError } from '../failure.ts';
import { writeGuide } from '../guide.ts';
import { reportBackendErrors } from '../report-backend-errors.ts';
import { getField, getPaths, getSession, resolveProject } from '../request.ts';
import { appendFiles, askForData } from './ask-for-data.ts';
import type { Ask } from './model/ask.ts';
import type { LocalSettings } from './settings.ts';
import { exchangeMessages, getLastAnswer, openTalk, type Talk } from './talk/talk.ts';
import { runToolLoop } from './tool-loop.ts';
import { createTools } from './tools/operation-tools.ts';
import type { Tool } from './tools/tool.ts';

/** The environment of `createHandler`; a test passes its own. */
export interface BackendEnv {
  readonly cwd: string;
  /** The environment variables of programs that a tool starts. */
  readonly environment: Readonly<Record<string, string>>;
  /** The directory of conversations. */
  readonly state: string;
  readonly now: () => number;
  /** Escapes text of the model for stdout, which may be a terminal. */
  readonly show: (text: string) => string;
  readonly settings: (root: string, signal: AbortSignal) => Promise<LocalSettings>;
  readonly ask: (settings: LocalSettings) => Ask;
}

/** The handler for a nib host. Lines after an interactive operation belong to its conversation. */
export function createHandler(env: BackendEnv): Handler {
  let talk: Talk | undefined;
  return reportBackendErrors(async (turn, io) => {
    if (turn.operation === undefined && talk !== undefined)
      return exchangeMessages(talk, turn.text, io, env.show);
    const root = resolveProject(turn, env.cwd);
    const name = turn.operation?.name;
    if (name === 'project-scaffold')
      return { files: writeGuide(root, 'AGENTS.md', getField(turn, 'project_name')) };
    const problem = describeMissing(turn);
    if (problem !== undefined) throw new BackendError('incomplete', problem);
    const settings = await env.settings(root, io.signal);
    if (name === 'continuity-index') return extractData(turn, root, env.ask(settings), io.signal);
    const job = createJob(turn, root, settings, env);
    if (name !== undefined && operationNamed(name).mode === 'pipe') return answerTurn(turn, job, io);
    talk = openTalk(job, getSession(turn), { ...env, root, log: (text) => void io.log(text) });
    if (getSession(turn)?.resume === true) return env.show(getLastAnswer(talk));
    return exchangeMessages(talk, operationPrompt(turn), io, env.show);
  });
}

const REQUIRED_FIELDS: Readonly<Record<string, string>> = {
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

/** Checks `REQUIRED_FIELDS` before the first request: a model would guess a missing field. */
function describeMissing(turn: Turn): string | undefined {
  const name = turn.operation?.name ?? '';
  const field = Object.hasOwn(REQUIRED_FIELDS, name) ? REQUIRED_FIELDS[name] : undefined;
  if (field === undefined) return undefined;
  const isThere = field === 'paths' ? getPaths(turn).length > 0 : getField(turn, field).trim() !== '';
  return isThere ? undefined : `The request for ${name} has no \`${field}\`.`;
}

/** The `ToolLoopInput` of an operation without its messages. */
function createJob(turn: Turn, root: string, settings: LocalSettings, env: BackendEnv): Talk['input'] {
  const toolContext = { root, paths: getPaths(turn), env: env.environment };
  const tools = createTools(turn.operation?.name, toolContext);
  return {
    ask: env.ask(settings),
    system: createSystemPrompt(tools),
    tools,
    temperature: getTemperature(getField(turn, 'effort')),
    maxCalls: settings.maxCalls,
  };
}

async function answerTurn(turn: Turn, job: Talk['input'], io: TurnIO): Promise<string> {
  const reply = await runToolLoop({
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

async function extractData(turn: Turn, root: string, ask: Ask, signal: AbortSignal): Promise<Result> {
  const data = await askForData(ask, {
    system: DATA_PROMPT,
    temperature: DATA_TEMPERATURE,
    text: appendFiles(operationPrompt(turn), root, getField(turn, 'dir')),
    schema: turn.schema ?? { type: 'object' },
    signal,
  });
  return { data };
}

/** The system prompt: a short one, for small models. The task itself is in the first message. */
function createSystemPrompt(tools: readonly Tool[]): string {
  if (tools.length === 0) return '';
  return `You help a novelist with the manuscript of a novel. You see its files only through your tools: ${tools.map(({ name }) => name).join(', ')}. Paths are relative to the project's root.
Read what you speak about, and never claim what you have not read. A tool that fails says why: mend the call and go on. When you have what you need, answer in plain text, and call no more tools.`;
}

/** The system prompt of `askForData`. */
const DATA_PROMPT =
  'You extract data from the text of a novel. Answer with one JSON value that conforms to the schema you are given, without a word before or after it.';

const TEMPERATURES: Readonly<Record<string, number>> = {
  low: 0.3,
  medium: 0.5,
  high: 0.7,
  xhigh: 0.8,
  max: 0.9,
};

/** The temperature for an effort; that of `high` for an unknown one. */
function getTemperature(effort: string): number {
  return (Object.hasOwn(TEMPERATURES, effort) ? TEMPERATURES[effort] : undefined) ?? 0.7;
}

/** Low, because extracted data should not vary. */
const DATA_TEMPERATURE = 0.2;
