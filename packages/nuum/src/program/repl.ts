import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { createInterface, type Interface } from 'node:readline';
import type { Permission } from '@plugboard/protocol';
import type { Circumstances } from '../agent/request.ts';
import type { Occasion } from '../tasks/life.ts';
import type { OpenNuum } from './agent.ts';
import { inspection, inspectTasks } from './inspect.ts';
import { createScreen, type Screen } from './screen.ts';

/** What the terminal is made of. */
export interface Terminal {
  readonly input: NodeJS.ReadableStream;
  readonly output: NodeJS.WritableStream;
  readonly colour: boolean;
  /** Where lines once typed are kept. */
  readonly historyFile: string;
}

const HISTORY_LINES = 1_000;

const HELP = `/help      this
/stop      end the running turn (Ctrl-C does it, too)
/tasks     background tasks and alarms
/memory    what the memory holds, with knowledge and summaries
/inspect   how much of everything there is
/quit      leave (Ctrl-D does it, too)
Anything else is said to the agent, also while it works.
`;

/** What the conversation is doing. */
interface Talk {
  readonly open: OpenNuum;
  readonly screen: Screen;
  readonly lines: Interface;
  /** Said while the agent works. */
  readonly meanwhile: string[];
  /** Turns to come. */
  readonly next: (() => Promise<unknown>)[];
  running: AbortController | undefined;
  /** Waits for a yes or a no. */
  asking: ((answer: string) => void) | undefined;
}

/** Talks in the terminal until the person leaves. */
export async function talk(open: OpenNuum, terminal: Terminal): Promise<void> {
  const lines = createInterface({
    input: terminal.input,
    output: terminal.output,
    prompt: '> ',
    history: loadHistory(terminal.historyFile),
    historySize: HISTORY_LINES,
    removeHistoryDuplicates: true,
  });
  const screen = createScreen((text) => terminal.output.write(text), terminal.colour);
  const state: Talk = { open, screen, lines, meanwhile: [], next: [], running: undefined, asking: undefined };
  lines.on('history', (history: readonly string[]) => saveHistory(terminal.historyFile, history));
  lines.on('SIGINT', () => interrupt(state));
  void hearUnasked(state);
  screen.notice(`nuum on ${open.memory.file}, with ${open.model}. /help says what there is.`);
  lines.prompt();
  const { promise: left, resolve: leave } = Promise.withResolvers<void>();
  lines.on('line', (line) => typed(state, line.trim(), leave));
  lines.on('close', leave);
  await left;
  state.running?.abort(new Error('The person left.'));
  lines.close();
}

function interrupt(state: Talk): void {
  if (state.running === undefined) return state.lines.close();
  state.running.abort(new Error('The person interrupted.'));
}

function typed(state: Talk, line: string, leave: () => void): void {
  const { asking, lines, screen } = state;
  if (asking !== undefined) {
    state.asking = undefined;
    return asking(line);
  }
  if (line === '/quit' || line === '/exit') return leave();
  if (line.startsWith('/')) command(state, line);
  else if (line !== '' && state.running !== undefined) {
    state.meanwhile.push(line);
    screen.notice('It will hear that before its next step.');
  } else if (line !== '') begin(state, () => turn(state, { text: line }));
  if (state.running === undefined) lines.prompt();
}

function command({ screen, open, ...state }: Talk, line: string): void {
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
      return screen.write(inspection(open.memory, false));
    case '/memory':
      return screen.write(inspection(open.memory, true));
    default:
      return screen.notice(`There is no command ${line}; /help says which there are.`);
  }
}

/** Runs turns one after the other, whoever began them. */
function begin(state: Talk, work: () => Promise<unknown>): void {
  state.next.push(work);
  if (state.running === undefined) void workOff(state);
}

async function workOff(state: Talk): Promise<void> {
  for (let work = state.next.shift(); work !== undefined; work = state.next.shift()) {
    state.running = new AbortController();
    await work();
    state.running = undefined;
    const late = state.meanwhile.splice(0).join('\n\n');
    if (late !== '') state.next.unshift(() => turn(state, { text: late }));
  }
  state.lines.prompt();
}

async function turn(
  state: Talk,
  request: { readonly text: string; readonly origin?: 'alarm' | 'task' },
): Promise<'told' | 'failed'> {
  const { open, screen } = state;
  const signal = state.running?.signal ?? AbortSignal.abort();
  try {
    const { usage, problem } = await open.nuum.respond(request, around(state, signal));
    screen.end(usage, problem?.message);
    return problem?.passing === true ? 'failed' : 'told';
  } catch (error) {
    screen.end({}, signal.aborted ? 'Interrupted.' : String(error));
    return 'told';
  }
}

function around(state: Talk, signal: AbortSignal): Circumstances {
  const { open, screen, meanwhile } = state;
  return {
    sink: screen.sink,
    signal,
    askPermission: (tool, input) => permission(state, tool, JSON.stringify(input), signal),
    async more() {
      const text = meanwhile.splice(0).join('\n\n');
      if (text === '') return undefined;
      open.memory.messages.append({ kind: 'user', text });
      return text;
    },
  };
}

function permission(state: Talk, tool: string, input: string, signal: AbortSignal): Promise<Permission> {
  return new Promise((resolve) => {
    const answer = (line: string): void => {
      signal.removeEventListener('abort', withdraw);
      state.asking = undefined;
      resolve(/^y(es)?$/i.test(line) ? { allowed: true } : { allowed: false, reason: 'The person said no.' });
    };
    const withdraw = (): void => answer('');
    state.asking = answer;
    signal.addEventListener('abort', withdraw);
    state.screen.notice(`Allow ${tool} ${input.slice(0, 500)}? [y/N]`);
  });
}

/** Alarms and background tasks begin turns between the person's own. */
async function hearUnasked(state: Talk): Promise<void> {
  for await (const next of state.open.nuum.life.happenings) {
    if (!('tasks' in next)) begin(state, () => unasked(state, next));
  }
}

async function unasked(state: Talk, { origin, text, settle }: Occasion): Promise<void> {
  state.screen.notice(text.split('\n', 1)[0] ?? '');
  settle(await turn(state, { text, origin }));
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

/** Lines may hold what nobody else should read. */
function saveHistory(file: string, history: readonly string[]): void {
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    writeFileSync(file, `${history.slice(0, HISTORY_LINES).join('\n')}\n`, { mode: 0o600 });
  } catch {
    // A history that cannot be kept is a nuisance, no more.
  }
}
