import { isOnlyFrames } from '../../framing/frames-in-text.ts';
import { isObject } from '../../framing/json.ts';
import { endOf, lostEnd, stoppedEnd, wasStopped } from '../../model/ending.ts';
import type { End, Event, Failure, Message } from '../../model/event.ts';
import { type Exit, exitFailure } from '../../model/exit.ts';
import { faultEvent } from '../../model/fault.ts';
import { createGathered, type Gathered, gather, takeGathered, wellFormedTail } from '../../model/gathered.ts';
import type { JsonValue } from '../../model/json.ts';
import { attachmentAt, detectMedia, withAddresses } from '../../model/media.ts';
import type { Turn } from '../../model/turn.ts';
import type { Launch, LaunchContext, OneShotHost, Refusal } from '../dialect.ts';
import { carried, NOTHING } from './carried.ts';
import { fillMessage, takesMessage } from './command.ts';
import type { Provider, TerminalSettings } from './settings.ts';
import { userDirectory } from './user-directory.ts';
import { type Envelope, type Frame, readFrame, startsObject, type WireProvider } from './wire.ts';

const LINE_BYTES = 8 * 1024 * 1024;
const RAW_CHARS = 4 * 1024 * 1024;
const STDERR_CHARS = 4_000;

const FRAME_TYPES = ['message', 'progress', 'error', 'log'];

const FRAMES_AS_TEXT =
  'The output is frames of the rich protocol, which people see as JSON: say protocol: rich for this agent.';

/** What is known of a running turn. */
export interface TerminalHostState {
  readonly settings: TerminalSettings;
  readonly raw: Gathered;
  /** What the last error frame says, kept since it is the final word. */
  error: Failure | undefined;
  lastText: string;
  /** A frame was too long to be read. */
  lost: boolean;
}

export const terminalHost: OneShotHost<TerminalSettings, TerminalHostState> = {
  resident: false,
  lineBytes: LINE_BYTES,
  launch,
  prewarms: (settings) => !takesMessage(settings.command),
  initial: (_turn, settings) => ({
    settings,
    raw: createGathered(RAW_CHARS, '\n'),
    error: undefined,
    lastText: '',
    lost: false,
  }),
  step,
  stepHead,
  end,
};

function launch(turn: Turn, settings: TerminalSettings, context: LaunchContext): Launch | Refusal {
  const command = fillMessage(settings.command, turn.text);
  if ('message' in command) return { refused: command };
  const { env, cwd } = settings;
  const envelope = createEnvelope(turn, settings, context.workspace);
  return {
    command,
    env,
    ...(cwd === undefined ? {} : { cwd }),
    stdin: `${JSON.stringify(envelope)}\n`,
    ensureDirectory: envelope.user_data_dir,
    temporaryMedia: true,
    ...(envelope.workspace === context.workspace ? {} : { mediaRoot: envelope.workspace }),
  };
}

function createEnvelope(turn: Turn, settings: TerminalSettings, own: string): Envelope {
  const { workspace = own, user_data_dir: given } = placesOf(turn);
  const channel = turn.channel ?? 'cli';
  const chatId = turn.chatId ?? turn.session.key;
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
    user_data_dir: given ?? `${workspace}/${userDirectory(chatId)}`,
    ...providersFor(turn, settings),
  };
}

/** Where another host of this dialect keeps what belongs to the chat. */
function placesOf({ extensions = {} }: Turn): Partial<Pick<Envelope, 'workspace' | 'user_data_dir'>> {
  const { workspace, user_data_dir } = extensions;
  return {
    ...(isAbsolutePath(workspace) ? { workspace } : {}),
    ...(isAbsolutePath(user_data_dir) ? { user_data_dir } : {}),
  };
}

function isAbsolutePath(value: JsonValue | undefined): value is string {
  return typeof value === 'string' && value.startsWith('/');
}

/** Those of the profile; without any, those that came with the turn from another host of this dialect. */
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

function step(state: TerminalHostState, line: string, out: Event[]): void {
  if (state.settings.protocol === 'plain') return keepRaw(state, line, out);
  const reading = readFrame(line);
  if (reading === 'text') return keepRaw(state, line, out);
  if (reading.type !== 'fault') return dispatch(state, reading, out);
  out.push({ type: 'fault', fault: reading.fault });
  if (reading.frame !== undefined) dispatch(state, reading.frame, out);
}

/** Of plain text the beginning is better than nothing; half a frame is none. */
function stepHead(state: TerminalHostState, head: string, out: Event[]): boolean {
  if (state.settings.protocol !== 'plain' && startsObject(head)) {
    state.lost = true;
    return false;
  }
  keepRaw(state, head, out);
  return true;
}

function dispatch(state: TerminalHostState, frame: Frame, out: Event[]): void {
  switch (frame.type) {
    case 'message':
      state.lastText = frame.text;
      out.push(frame);
      return;
    case 'message with media':
      state.lastText = frame.text;
      out.push(withMedia(frame.text, frame.media, out));
      return;
    case 'progress':
      out.push(frame);
      return;
    case 'log':
      out.push({ type: 'log', level: frame.level, text: frame.text, source: 'agent' });
      return;
    case 'error':
      // One that another follows was not the final word.
      if (frame.text !== state.error?.message) tellError(state, [], out);
      state.error = { message: frame.text, ...(frame.code === undefined ? {} : { code: frame.code }) };
  }
}

function withMedia(text: string, paths: readonly string[], out: Event[]): Message {
  for (const path of paths) {
    if (!path.startsWith('/')) out.push(faultEvent('media-refused', 'A media path must be absolute.', path));
  }
  return { type: 'message', text, media: paths.filter((path) => path.startsWith('/')).map(attachmentAt) };
}

function keepRaw(state: TerminalHostState, line: string, out: Event[]): void {
  if (gather(state.raw, line)) return;
  const message = `Only the first ${RAW_CHARS} characters of plain output are kept.`;
  out.push(faultEvent('output-too-long', message));
}

/**
 * Plain text, an error frame, stderr and the exit code make the final response. Messages are out already, so what
 * must be appended goes to the last part of that response, or stands alone.
 */
function end(state: TerminalHostState, exit: Exit, out: Event[]): void {
  const raw = trimLines(takeGathered(state.raw));
  if (state.settings.protocol === 'plain' && isOnlyFrames(raw, FRAME_TYPES))
    out.push(faultEvent('frames-as-text', FRAMES_AS_TEXT, raw));
  const stopped = wasStopped(exit);
  const failed = state.error !== undefined || exit.exitCode !== 0;
  const appendix = appended(state.settings, exit, stopped);
  if (state.error === undefined) tell(joined(raw, appendix), raw, state, out);
  else tell(raw, raw, state, out);
  if (stopped) {
    // The end says that the turn was stopped, and has no place for what the agent complained of before; that it was stopped
    // may be all it complains of.
    if (exit.cause !== 'cancel' && state.error?.code !== 'cancelled') tellError(state, appendix, out);
    out.push(stoppedEnd(exit, state.lastText));
  } else if (failed) out.push(failedEnd(state, exit, appendix));
  else if (state.lost && state.lastText === '') out.push(lostEnd(exit, LINE_BYTES));
  else out.push(endOf(exit, 'success', { text: state.lastText }));
}

function tell(text: string, raw: string, state: TerminalHostState, out: Event[]): void {
  if (text === '') return;
  // What was only appended is no answer, if there is one.
  if (raw !== '' || state.lastText === '') state.lastText = text;
  out.push({ type: 'message', text, media: state.settings.detectMedia ? detectMedia(raw) : [] });
}

function tellError(state: TerminalHostState, appendix: readonly string[], out: Event[]): void {
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

function failedEnd(state: TerminalHostState, exit: Exit, appendix: string[]): End {
  const text = state.lastText;
  if (state.error === undefined)
    return endOf(exit, 'error', { text, error: { ...exitFailure(exit), told: true } });
  const message = joined(state.error.message, appendix);
  return endOf(exit, 'error', { text, error: { ...state.error, message } });
}

/** The end of it, which is where programs say what went wrong; in whole lines, unless that would leave less than half. */
function bounded(stderr: string): string {
  if (stderr.length <= STDERR_CHARS) return stderr;
  const tail = wellFormedTail(stderr, STDERR_CHARS);
  const line = tail.indexOf('\n') + 1;
  return `…(truncated)\n${line <= STDERR_CHARS / 2 ? tail.slice(line) : tail}`;
}

/** Without the blank lines around it; blank lines inside stay. */
function trimLines(text: string): string {
  if (text === '') return '';
  const first = text.search(/[^ \t\n]/);
  return text.slice(text.lastIndexOf('\n', first) + 1).trimEnd();
}
