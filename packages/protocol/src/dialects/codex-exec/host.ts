import { endByExit, readFailure } from '../../codex-common/failure.ts';
import { describeItem, filesOf, isToolItem, resultOfItem } from '../../codex-common/items.ts';
import { readCounts } from '../../codex-common/usage.ts';
import type { HostSide } from '../../contract/host-side.ts';
import { createPerTurnHost, type PerTurnState } from '../../contract/per-turn-host.ts';
import { wordsIn } from '../../framing/error-body.ts';
import { isObject, parseJson } from '../../framing/json.ts';
import { objectOf, stringOf } from '../../framing/narrow.ts';
import type { End, Event, Usage } from '../../model/event.ts';
import type { Exit } from '../../model/exit.ts';
import { faultEvent } from '../../model/fault.ts';
import type { JsonObject } from '../../model/json.ts';
import { readItem, readSteps } from './items.ts';
import { launchExec, writeMessage } from './launch.ts';
import type { CodexExecSettings } from './settings.ts';

/** The output of a command is one line. */
const LINE_BYTES = 64 * 1024 * 1024;

/** A turn that is being read. */
interface ExecReading {
  readonly id: string;
  readonly schema: JsonObject | undefined;
  /** The thread that it goes on with. */
  readonly resumed: string | undefined;
  session: string | undefined;
  lastText: string;
  /** Message of the last `error` line. */
  error: string | undefined;
  readonly openTools: Set<string>;
  readonly files: Set<string>;
  /** The turn has ended; its process stays a few seconds longer. */
  isOver: boolean;
}

type Reader = (reading: ExecReading, frame: JsonObject, events: Event[]) => void;

const READERS: Readonly<Record<string, Reader>> = {
  'thread.started': noteThread,
  'turn.started': ({ id }, _frame, events) => void events.push({ type: 'accepted', inputs: [id] }),
  'turn.completed': (reading, { usage }, events) =>
    endTurn(reading, { type: 'end', outcome: 'success', text: '', ...usageOf(readCounts(usage)) }, events),
  'turn.failed': (reading, { error }, events) => {
    const failure = readFailure(objectOf(error));
    endTurn(reading, { type: 'end', outcome: 'error', text: '', error: failure }, events);
  },
  error: noteError,
  'item.started': beginItem,
  'item.updated': updateItem,
  'item.completed': completeItem,
};

const perTurn = createPerTurnHost<CodexExecSettings, ExecReading>({
  lineBytes: LINE_BYTES,
  launch: launchExec,
  prewarmProblem: () => 'the session and the images of a turn are arguments of its command',
  opening: (turn) => ({ text: writeMessage(turn) }),
  initial: ({ id, schema, session }, { resume }) => ({
    id,
    schema,
    resumed: session.agentId ?? resume,
    session: undefined,
    lastText: '',
    error: undefined,
    openTools: new Set(),
    files: new Set(),
    isOver: false,
  }),
  line: readLine,
  exit(reading, exit, events) {
    endTurn(reading, endOfProcess(reading, exit), events);
  },
});

type ExecState = PerTurnState<CodexExecSettings, ExecReading>;

/** The process of a turn stays some seconds after `turn.completed`, which ends the turn here. */
export const codexExecHost: HostSide<CodexExecSettings, ExecState> = {
  ...perTurn,
  step(state, input, out) {
    if (input.type === 'line' && state.ended) return;
    perTurn.step(state, input, out);
    if (state.turn?.reading.isOver === true) state.ended = true;
  },
};

function readLine(reading: ExecReading, text: string, events: Event[]): void {
  if (reading.isOver || text.trim() === '') return;
  if (!text.trimStart().startsWith('{'))
    return void events.push({ type: 'log', level: 'info', text, source: 'agent' });
  const parsed = parseJson(text);
  if (!parsed.ok) return void events.push({ type: 'fault', fault: parsed.fault });
  const { value } = parsed;
  const type = isObject(value) ? value.type : undefined;
  if (!isObject(value) || typeof type !== 'string')
    return void events.push(faultEvent('malformed-frame', 'A line must say its `type`.', text));
  if (Object.hasOwn(READERS, type)) READERS[type]?.(reading, value, events);
}

function noteThread(reading: ExecReading, { thread_id: id }: JsonObject, events: Event[]): void {
  if (typeof id !== 'string' || id === '') return;
  reading.session = id;
  events.push({ type: 'ready', session: id }, { type: 'session', id });
}

/** An error in front of `turn.failed` says the same; one that is tried again is no failure. */
function noteError(reading: ExecReading, { message }: JsonObject, events: Event[]): void {
  const text = wordsIn(stringOf(message) ?? '');
  if (/^reconnecting/i.test(text)) events.push({ type: 'progress', text });
  else reading.error = text;
}

function beginItem(reading: ExecReading, frame: JsonObject, events: Event[]): void {
  const item = readItem(objectOf(frame.item));
  const { id, type } = item;
  if (type === 'todoList') events.push({ type: 'plan', steps: readSteps(item) });
  if (typeof id !== 'string' || !isToolItem(item) || reading.openTools.has(id)) return;
  reading.openTools.add(id);
  events.push(describeItem(id, item));
}

function updateItem(_reading: ExecReading, frame: JsonObject, events: Event[]): void {
  const item = readItem(objectOf(frame.item));
  const { id, type, aggregatedOutput: output } = item;
  if (type === 'todoList') events.push({ type: 'plan', steps: readSteps(item) });
  if (type !== 'commandExecution' || typeof id !== 'string' || typeof output !== 'string') return;
  events.push({ type: 'tool-update', id, content: [{ type: 'output', output }] });
}

/** An item of the type `error` is a warning. */
function completeItem(reading: ExecReading, frame: JsonObject, events: Event[]): void {
  const item = readItem(objectOf(frame.item));
  const { id, type, text, message } = item;
  if (type === 'agentMessage' && typeof text === 'string' && text !== '') {
    reading.lastText = text;
    events.push({ type: 'message', text, media: [] });
  } else if (type === 'reasoning' && typeof text === 'string' && text !== '')
    events.push({ type: 'thinking', text });
  else if (type === 'error' && typeof message === 'string')
    events.push({ type: 'log', level: 'warning', text: message, source: 'agent' });
  else if (type === 'todoList') events.push({ type: 'plan', steps: readSteps(item) });
  else if (typeof id === 'string' && isToolItem(item)) {
    beginItem(reading, frame, events);
    reading.openTools.delete(id);
    for (const path of filesOf(item)) reading.files.add(path);
    events.push(resultOfItem(id, item));
  }
}

/** Ends the turn once. Adds text, `data` and `files` of the turn to `end`. */
function endTurn(reading: ExecReading, end: End, events: Event[]): void {
  if (reading.isOver) return;
  reading.isOver = true;
  for (const id of reading.openTools)
    events.push({ type: 'tool-result', id, content: 'The tool did not finish.', isError: true });
  const { files, lastText, schema } = reading;
  const parsed = schema === undefined || end.outcome !== 'success' ? undefined : parseJson(lastText);
  events.push({
    ...end,
    text: lastText,
    ...(parsed?.ok === true ? { data: parsed.value } : {}),
    ...(files.size === 0 ? {} : { files: [...files] }),
  });
}

function usageOf(usage: Usage): { usage?: Usage } {
  return Object.keys(usage).length === 0 ? {} : { usage };
}

/** A thread that the program does not know is an error, because the process ends with it. */
function endOfProcess({ error, resumed, session }: ExecReading, exit: Exit): End {
  const end = endByExit(exit);
  if (end.error === undefined || exit.cause !== 'exit') return end;
  if (error !== undefined) return { ...end, error: { ...end.error, message: error } };
  if (session !== undefined || resumed === undefined || !/no rollout found|not found/i.test(exit.stderr))
    return end;
  const message = `Codex does not know the session ${resumed}: begin a new conversation.`;
  return { ...end, error: { ...end.error, message, code: 'unknown-session' } };
}
