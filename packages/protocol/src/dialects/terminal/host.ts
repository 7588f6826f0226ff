import type { Launch, LaunchContext, Refusal } from '../../contract/host-side.ts';
import { createPerTurnHost } from '../../contract/per-turn-host.ts';
import { isOnlyFrames } from '../../framing/frames-in-text.ts';
import { isObject } from '../../framing/json.ts';
import { endOf, lostEnd, stoppedEnd, wasStopped } from '../../model/ending.ts';
import type { End, Event, Failure } from '../../model/event.ts';
import { type Exit, exitFailure } from '../../model/exit.ts';
import { faultEvent, LINE_CUT, LINE_DROPPED } from '../../model/fault.ts';
import { createGathered, type Gathered, gather, takeGathered, wellFormedTail } from '../../model/gathered.ts';
import type { JsonValue } from '../../model/json.ts';
import { attachmentAt, detectMedia, withAddresses } from '../../model/media.ts';
import { createTurn, type Turn } from '../../model/turn.ts';
import { carried, NOTHING } from './carried.ts';
import { fillMessage, takesMessage } from './command.ts';
import type { Provider, TerminalSettings } from './settings.ts';
import { userDirectoryOf } from './user-directory.ts';
import { type Envelope, type Frame, readFrame, startsObject, type WireProvider } from './wire.ts';

const LINE_BYTES = 8 * 1024 * 1024;
const RAW_CHARS = 4 * 1024 * 1024;
const STDERR_CHARS = 4_000;

const FRAME_TYPES = ['message', 'progress', 'error', 'log'];

const FRAMES_AS_TEXT =
  'The output is frames of the rich protocol, which people see as JSON: say protocol: rich for this agent.';

/** A turn that is being read. */
interface TerminalReading {
  readonly settings: TerminalSettings;
  readonly raw: Gathered;
  /** The last error frame. It is kept until the end, because it becomes the final response. */
  error: Failure | undefined;
  lastText: string;
  /** A frame was too long to be read. */
  lost: boolean;
}

export const terminalHost = createPerTurnHost<TerminalSettings, TerminalReading>({
  lineBytes: LINE_BYTES,
  launch,
  prewarmProblem: ({ command }) =>
    takesMessage(command) ? 'this agent has the turn in its command' : undefined,
  initial: (_turn, settings) => ({
    settings,
    raw: createGathered(RAW_CHARS, '\n'),
    error: undefined,
    lastText: '',
    lost: false,
  }),
  opening: (turn, settings, { workspace }) => ({
    text: `${JSON.stringify(createEnvelope(turn, settings, workspace))}\n`,
  }),
  line: readLine,
  head: readHead,
  exit: finish,
});

function launch(
  settings: TerminalSettings,
  context: LaunchContext,
  turn = createTurn({ id: '' }),
): Launch | Refusal {
  const command = fillMessage(settings.command, turn.text);
  if ('message' in command) return { refused: command };
  const { env, cwd } = settings;
  const { workspace, userDirectory: ensureDirectory } = directoriesOf(turn, context.workspace);
  return {
    command,
    env,
    ...(cwd === undefined ? {} : { cwd }),
    ensureDirectory,
    temporaryMedia: true,
    ...(workspace === context.workspace ? {} : { mediaRoot: workspace }),
  };
}

function createEnvelope(turn: Turn, settings: TerminalSettings, own: string): Envelope {
  const { workspace, userDirectory, chatId } = directoriesOf(turn, own);
  const channel = turn.channel ?? 'cli';
  const named = turn.channel !== undefined && turn.chatId !== undefined;
  const { media, others } = settings.passMedia ? carried(turn.attachments, workspace) : NOTHING;
  return {
    version: 1,
    text: withAddresses(turn.text, others),
    ...(media.length > 0 ? { media } : {}),
    channel,
    chat_id: chatId,
    session_key: named ? turn.session.key : `${channel}:${chatId}`,
    workspace,
    user_data_dir: userDirectory,
    ...providersFor(turn, settings),
  };
}

/**
 * The directories of a chat. Absolute paths that another host of this dialect put into `extensions` take precedence.
 */
function directoriesOf({ extensions = {}, chatId, session }: Turn, own: string) {
  const id = chatId ?? session.key;
  const { workspace: given, user_data_dir: directory } = extensions;
  const workspace = isAbsolutePath(given) ? given : own;
  return {
    chatId: id,
    workspace,
    userDirectory: isAbsolutePath(directory) ? directory : `${workspace}/${userDirectoryOf(id)}`,
  };
}

function isAbsolutePath(value: JsonValue | undefined): value is string {
  return typeof value === 'string' && value.startsWith('/');
}

/** The providers of the profile; without any, the providers in `extensions`, from another host of this dialect. */
function providersFor({ extensions }: Turn, { providers }: TerminalSettings): Pick<Envelope, 'providers'> {
  if (Object.keys(providers).length > 0) return { providers: toWire(providers) };
  const given = extensions?.providers;
  return isObject(given) ? { providers: given } : {};
}

function toWire(providers: Readonly<Record<string, Provider>>): Record<string, WireProvider> {
  const entries = Object.entries(providers).map(([name, { apiKeys, models, baseUrl }]) => [
    name,
    {
      api_keys: apiKeys,
      ...(models === undefined ? {} : { models }),
      ...(baseUrl === undefined ? {} : { base_url: baseUrl }),
    },
  ]);
  return Object.fromEntries(entries) as Record<string, WireProvider>;
}

function readLine(state: TerminalReading, line: string, out: Event[]): void {
  if (state.settings.protocol === 'plain') return keepRaw(state, line, out);
  const reading = readFrame(line);
  if (reading === 'text') return keepRaw(state, line, out);
  if (reading.type !== 'fault') return dispatch(state, reading, out);
  out.push({ type: 'fault', fault: reading.fault });
  if (reading.frame !== undefined) dispatch(state, reading.frame, out);
}

/** Keeps the beginning of plain text. An incomplete frame is dropped. */
function readHead(state: TerminalReading, head: string, out: Event[]): void {
  if (state.settings.protocol !== 'plain' && startsObject(head)) {
    state.lost = true;
    out.push(faultEvent('line-too-long', LINE_DROPPED, head));
  } else {
    keepRaw(state, head, out);
    out.push(faultEvent('line-too-long', LINE_CUT, head));
  }
}

function dispatch(state: TerminalReading, frame: Frame, out: Event[]): void {
  switch (frame.type) {
    case 'message':
      state.lastText = frame.text;
      out.push(frame);
      return;
    case 'message with media':
      state.lastText = frame.text;
      // The host refuses a path that is not absolute, and names the file to the person.
      out.push({ type: 'message', text: frame.text, media: frame.media.map(attachmentAt) });
      return;
    case 'progress':
      out.push(frame);
      return;
    case 'log':
      out.push({ type: 'log', level: frame.level, text: frame.text, source: 'agent' });
      return;
    case 'error':
      // Only the last error frame is the final response; an earlier error is sent as a message.
      if (frame.text !== state.error?.message) tellError(state, [], out);
      state.error = { message: frame.text, ...(frame.code === undefined ? {} : { code: frame.code }) };
  }
}

function keepRaw(state: TerminalReading, line: string, out: Event[]): void {
  if (gather(state.raw, line)) return;
  const message = `Only the first ${RAW_CHARS} characters of plain output are kept.`;
  out.push(faultEvent('output-too-long', message));
}

/**
 * Sends the final response: plain text, the error frame, stderr and the exit code. Earlier messages are already sent,
 * so `appendix` follows the last part of that response or is a message by itself.
 */
function finish(state: TerminalReading, exit: Exit, out: Event[]): void {
  const raw = trimLines(takeGathered(state.raw));
  if (state.settings.protocol === 'plain' && isOnlyFrames(raw, FRAME_TYPES))
    out.push(faultEvent('frames-as-text', FRAMES_AS_TEXT, raw));
  const stopped = wasStopped(exit);
  const failed = state.error !== undefined || exit.exitCode !== 0;
  const appendix = appended(state.settings, exit, stopped);
  if (state.error === undefined) tell(joined(raw, appendix), raw, state, out);
  else tell(raw, raw, state, out);
  if (stopped) {
    // `stoppedEnd` has no field for an earlier error frame, so it is sent as a message. A frame with the code
    // `cancelled` only repeats the stop and is dropped.
    if (exit.cause !== 'cancel' && state.error?.code !== 'cancelled') tellError(state, appendix, out);
    out.push(stoppedEnd(exit, state.lastText));
  } else if (failed) out.push(failedEnd(state, exit, appendix));
  else if (state.lost && state.lastText === '') out.push(lostEnd(exit, LINE_BYTES));
  else out.push(endOf(exit, 'success', { text: state.lastText }));
}

function tell(text: string, raw: string, state: TerminalReading, out: Event[]): void {
  if (text === '') return;
  // A message that holds only the `appendix` does not replace an earlier answer.
  if (raw !== '' || state.lastText === '') state.lastText = text;
  out.push({ type: 'message', text, media: state.settings.detectMedia ? detectMedia(raw) : [] });
}

function tellError(state: TerminalReading, appendix: readonly string[], out: Event[]): void {
  if (state.error === undefined) return;
  tell(joined(state.error.message, appendix), '', state, out);
  state.error = undefined;
}

function joined(first: string, rest: readonly string[]): string {
  if (rest.length === 0) return first;
  return (first === '' ? rest : [first, ...rest]).join('\n');
}

function appended(settings: TerminalSettings, exit: Exit, stopped: boolean): string[] {
  const parts: string[] = [];
  const stderr = exit.stderr.trim();
  if (settings.stderr === 'reply' && stderr !== '') parts.push(`STDERR: ${bounded(stderr)}`);
  if (stopped || exit.exitCode === 0) return parts;
  parts.push(
    exit.signal === null ? `Exit code: ${exit.exitCode}` : `Exit code: ${exit.exitCode} (${exit.signal})`,
  );
  return parts;
}

function failedEnd(state: TerminalReading, exit: Exit, appendix: string[]): End {
  const text = state.lastText;
  if (state.error === undefined)
    return endOf(exit, 'error', { text, error: { ...exitFailure(exit), told: true } });
  const message = joined(state.error.message, appendix);
  return endOf(exit, 'error', { text, error: { ...state.error, message } });
}

/**
 * The last `STDERR_CHARS` characters, where programs report the cause. Cut to whole lines, unless that would leave less
 * than half.
 */
function bounded(stderr: string): string {
  if (stderr.length <= STDERR_CHARS) return stderr;
  const tail = wellFormedTail(stderr, STDERR_CHARS);
  const line = tail.indexOf('\n') + 1;
  return `…(truncated)\n${line <= STDERR_CHARS / 2 ? tail.slice(line) : tail}`;
}

/** Removes leading and trailing blank lines. */
function trimLines(text: string): string {
  if (text === '') return '';
  const first = text.search(/[^ \t\n]/);
  return text.slice(text.lastIndexOf('\n', first) + 1).trimEnd();
}
