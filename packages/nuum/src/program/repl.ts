import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { createInterface, type Interface } from 'node:readline';
import { reasonOf } from '@plugboard/protocol';
import type { RequestContext } from '../agent/request.ts';
import { acceptProposal, rejectProposal } from '../memory/knowledge/proposals.ts';
import type { Memory } from '../memory/memory.ts';
import type { Occasion } from '../tasks/background-work.ts';
import type { OpenNuum } from './agent.ts';
import { inputText } from './input-text.ts';
import { inspectMemory, inspectTasks } from './inspect.ts';
import { createPaste } from './paste.ts';
import { createQuestions, type Questions } from './permission-questions.ts';
import { createScreen, type Screen } from './terminal-output.ts';

export interface Terminal {
  readonly input: NodeJS.ReadableStream;
  readonly output: NodeJS.WritableStream;
  readonly colour: boolean;
  /** The file of typed lines. */
  readonly historyFile: string;
  /** Aborted when the process must end. */
  readonly leaving: AbortSignal;
}

const HISTORY_LINES = 1_000;

const HELP = `/help      this
/stop      end the running turn (Ctrl-C does it, too)
/tasks     background tasks and alarms
/memory    what the memory holds, with knowledge and summaries
/inspect   how much of everything there is
/accept SLUG, /reject SLUG
           a proposal for what stands in every prompt; /memory shows them
/quit      leave (Ctrl-D does it, too)
Anything else is said to the agent, also while it works.
`;

interface Talk {
  readonly open: OpenNuum;
  readonly screen: Screen;
  readonly lines: Interface;
  /** Prints the prompt, unless readline is closed. */
  readonly prompt: () => void;
  /** Lines typed during a turn. */
  readonly meanwhile: string[];
  /** Turns that wait for the running one. */
  readonly next: (() => Promise<unknown>)[];
  /** Open questions for permission. */
  readonly questions: Questions;
  running: AbortController | undefined;
  /** Set by Ctrl-C at an empty prompt, cleared by the next line. */
  leaving: boolean;
  /** The user has left: no turn begins, and no output is shown. */
  left: boolean;
}

/** Runs a conversation until the user leaves. */
export async function runConversation(open: OpenNuum, terminal: Terminal): Promise<void> {
  const lines = createInterface({
    input: terminal.input,
    output: terminal.output,
    prompt: '> ',
    history: loadHistory(terminal.historyFile),
    historySize: HISTORY_LINES,
    removeHistoryDuplicates: true,
  });
  const screen = createScreen((text) => terminal.output.write(text), terminal.colour);
  let closed = false;
  const questions = createQuestions((text) => screen.notice(text));
  const state: Talk = {
    ...{ open, screen, lines, questions, meanwhile: [], next: [] },
    // `prompt` throws after `close`.
    prompt: () => void (closed || lines.prompt()),
    running: undefined,
    leaving: false,
    left: false,
  };
  lines.on('history', (history: readonly string[]) => saveHistory(terminal.historyFile, history));
  lines.on('SIGINT', () => handleInterrupt(state));
  void queueOccasions(state);
  screen.notice(`nuum on ${open.memory.file}, with ${open.model}. /help says what there is.`);
  state.prompt();
  const { promise: left, resolve: leave } = Promise.withResolvers<void>();
  const paste = createPaste((text) => handleLine(state, text, leave));
  lines.on('line', (line) => paste.line(line));
  lines.on('close', () => {
    closed = true;
    leave();
  });
  // A closed terminal fails every write, also that which restores its settings.
  for (const stream of [lines, terminal.output]) stream.on('error', () => leave());
  terminal.leaving.addEventListener('abort', () => leave());
  if (terminal.leaving.aborted) leave();
  await left;
  paste.flush();
  endConversation(state);
  lines.close();
}

/** Stores the lines that no turn has taken. */
function endConversation(state: Talk): void {
  state.left = true;
  state.running?.abort(new Error('The person left.'));
  const text = state.meanwhile.splice(0).join('\n\n');
  if (text !== '') state.open.memory.messages.append({ kind: 'user', text });
}

/** Ctrl-C aborts the turn or clears the line. At an empty prompt the second Ctrl-C leaves. */
function handleInterrupt(state: Talk): void {
  const { running, lines, screen } = state;
  if (running !== undefined) return running.abort(new Error('The person interrupted.'));
  if (lines.line === '' && state.leaving) return lines.close();
  state.leaving = lines.line === '';
  lines.write(null, { ctrl: true, name: 'e' });
  lines.write(null, { ctrl: true, name: 'u' });
  if (state.leaving) screen.notice('\nCtrl-C again or /quit leaves.');
  state.prompt();
}

function handleLine(state: Talk, text: string, leave: () => void): void {
  const { questions, screen } = state;
  const line = text.trim();
  state.leaving = false;
  if (questions.answer(line)) return;
  if (line === '/quit' || line === '/exit') return leave();
  // Pasted lines are never a command.
  if (line.startsWith('/') && !line.includes('\n')) runCommand(state, line);
  else if (line !== '' && state.running !== undefined) {
    state.meanwhile.push(line);
    screen.notice('It will hear that before its next step.');
  } else if (line !== '') queueTurn(state, () => runTurn(state, { text: line }));
  if (state.running === undefined) state.prompt();
}

function runCommand({ screen, open, ...state }: Talk, line: string): void {
  switch (line) {
    case '/help':
      return screen.write(HELP);
    case '/stop':
      return state.running === undefined
        ? screen.notice('Nothing is running.')
        : state.running.abort(new Error('The person interrupted.'));
    case '/tasks':
      return screen.write(inspectTasks(open.nuum));
    case '/inspect':
      return screen.write(inspectMemory(open.memory, false));
    case '/memory':
      return screen.write(inspectMemory(open.memory, true));
    default:
      if (/^\/(accept|reject) /.test(line)) return answerProposal(open.memory, screen, line);
      return screen.notice(`There is no command ${line}; /help says which there are.`);
  }
}

function answerProposal(memory: Memory, screen: Screen, line: string): void {
  const [word = '', slug = ''] = line.split(/\s+/);
  try {
    (word === '/accept' ? acceptProposal : rejectProposal)(memory, slug);
    screen.notice(word === '/accept' ? `"${slug}" holds it now.` : 'It is laid aside.');
  } catch (error) {
    screen.notice(reasonOf(error));
  }
}

/** Queues a turn. Turns run one after the other. */
function queueTurn(state: Talk, work: () => Promise<unknown>): void {
  state.next.push(work);
  if (state.running === undefined) void runQueue(state);
}

async function runQueue(state: Talk): Promise<void> {
  for (let work = state.next.shift(); work !== undefined && !state.left; work = state.next.shift()) {
    state.running = new AbortController();
    await work();
    state.running = undefined;
    if (state.left) return;
    const late = state.meanwhile.splice(0).join('\n\n');
    if (late !== '') state.next.unshift(() => runTurn(state, { text: late }));
  }
  state.prompt();
}

async function runTurn(
  state: Talk,
  request: { readonly text: string; readonly origin?: 'alarm' | 'task' },
): Promise<'told' | 'failed'> {
  const { open, screen } = state;
  const signal = state.running?.signal ?? AbortSignal.abort();
  try {
    const { usage, problem } = await open.nuum.respond(request, contextFor(state, signal));
    screen.end(usage, problem?.message);
    return problem?.passing === true ? 'failed' : 'told';
  } catch (error) {
    screen.end({}, signal.aborted ? 'Interrupted.' : String(error));
    // `failed` when the user has left: the next process begins the turn again.
    return state.left ? 'failed' : 'told';
  }
}

function contextFor(state: Talk, signal: AbortSignal): RequestContext {
  const { open, screen, meanwhile } = state;
  return {
    sink: screen.sink,
    signal,
    askPermission: (tool, input) => state.questions.ask(`Allow ${tool} ${inputText(input)}? [y/N]`, signal),
    async takeMore() {
      const text = meanwhile.splice(0).join('\n\n');
      if (text !== '') open.memory.messages.append({ kind: 'user', text });
      return text !== '';
    },
  };
}

/** Queues the turns of alarms and background tasks. */
async function queueOccasions(state: Talk): Promise<void> {
  for await (const next of state.open.nuum.background.updates) {
    if (!('tasks' in next)) queueTurn(state, () => runOccasion(state, next));
  }
}

async function runOccasion(state: Talk, { origin, text, settle }: Occasion): Promise<void> {
  state.screen.notice(text.split('\n', 1)[0] ?? '');
  settle(await runTurn(state, { text, origin }));
}

function loadHistory(file: string): string[] {
  try {
    return readFileSync(file, 'utf8')
      .split('\n')
      .filter((line) => line !== '');
  } catch {
    return [];
  }
}

/** 0600: typed lines may contain secrets. */
function saveHistory(file: string, history: readonly string[]): void {
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    writeFileSync(file, `${history.slice(0, HISTORY_LINES).join('\n')}\n`, { mode: 0o600 });
  } catch {
    // The history is a convenience: without it the agent works.
  }
}
