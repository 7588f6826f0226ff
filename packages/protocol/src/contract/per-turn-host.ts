import type { Event } from '../model/event.ts';
import type { Exit } from '../model/exit.ts';
import { faultEvent, LINE_DROPPED } from '../model/fault.ts';
import type { Answer } from '../model/question.ts';
import type { Turn } from '../model/turn.ts';
import { eventsOf, type HostEffect, type HostInput, type HostSide, type LaunchContext } from './host-side.ts';

/** The parts of a dialect whose agents get a process for each turn. */
export interface PerTurnParts<Settings, Reading>
  extends Pick<HostSide<Settings, unknown>, 'lineBytes' | 'keepsMark' | 'launch' | 'prewarmProblem'> {
  /** The text for stdin; input is closed after it unless `keepOpen`. */
  opening(turn: Turn, settings: Settings, context: LaunchContext): { text: string; keepOpen?: boolean };
  initial(turn: Turn, settings: Settings): Reading;
  /** Reads one line of stdout: events go to `events`, writes and questions to `effects`. */
  line(reading: Reading, text: string, events: Event[], effects: HostEffect[]): void;
  /** Reads the beginning of a line longer than `lineBytes`, and reports a fault. Without `head` the line is dropped. */
  head?(reading: Reading, text: string, events: Event[]): void;
  answer?(reading: Reading, askId: string, answer: Answer, effects: HostEffect[]): void;
  /** Withdraws every open question; called before `exit`. */
  withdraw?(reading: Reading, effects: HostEffect[]): void;
  /** The process has ended. The last of `events` is the `end` of the turn. */
  exit(reading: Reading, exit: Exit, events: Event[]): void;
}

/** A process and its turn. */
export interface PerTurnState<Settings, Reading> {
  readonly settings: Settings;
  readonly context: LaunchContext;
  /** Undefined until the turn is sent. */
  turn: { readonly id: string; readonly reading: Reading } | undefined;
  ended: boolean;
}

/**
 * Builds the host side of a dialect with one process per turn. `parts` reads the wire; the inputs `send`, `answer` and
 * `exit` are handled here.
 */
export function createPerTurnHost<Settings, Reading>(
  parts: PerTurnParts<Settings, Reading>,
): HostSide<Settings, PerTurnState<Settings, Reading>> {
  return {
    process: 'per-turn',
    lineBytes: parts.lineBytes,
    ...(parts.keepsMark === true ? { keepsMark: true } : {}),
    launch: parts.launch,
    prewarmProblem: parts.prewarmProblem,
    initial: (settings, context) => ({ settings, context, turn: undefined, ended: false }),
    currentTurn: ({ turn }) => turn?.id,
    step(state, input, out) {
      // Checked first: `line` is by far the most frequent input, and mostly follows another line of the same turn.
      if (input.type === 'line') {
        const { turn, ended } = state;
        const last = out.length === 0 ? undefined : out[out.length - 1];
        const isNext =
          last?.type === 'events' && last.turnId === turn?.id && !ended && input.truncated !== true;
        if (isNext && turn !== undefined) parts.line(turn.reading, input.text, last.events, out);
        else readLine(parts, state, input, out);
      } else if (input.type === 'send') send(parts, state, input.turn, out);
      else if (input.type === 'answer') answer(parts, state, input, out);
      else if (input.type === 'exit') exit(parts, state, input.exit, out);
    },
  };
}

type Input<Type extends HostInput['type']> = Extract<HostInput, { type: Type }>;

function readLine<Settings, Reading>(
  parts: PerTurnParts<Settings, Reading>,
  { turn, ended }: PerTurnState<Settings, Reading>,
  { text, truncated }: Input<'line'>,
  out: HostEffect[],
): void {
  if (turn === undefined || ended) {
    const message = 'The agent printed this outside of its turn.';
    eventsOf(out, undefined).push(faultEvent('late-frame', message, text));
    return;
  }
  const at = out.length;
  const events = eventsOf(out, turn.id);
  if (truncated === true) readHead(parts, turn.reading, text, events);
  else parts.line(turn.reading, text, events, out);
  if (events.length === 0) out.splice(at, 1);
}

function readHead<Settings, Reading>(
  { head }: PerTurnParts<Settings, Reading>,
  reading: Reading,
  text: string,
  events: Event[],
): void {
  if (head === undefined) events.push(faultEvent('line-too-long', LINE_DROPPED, text));
  else head(reading, text, events);
}

/** A process has one turn, so a second `send` is `returned`. */
function send<Settings, Reading>(
  parts: PerTurnParts<Settings, Reading>,
  state: PerTurnState<Settings, Reading>,
  turn: Turn,
  out: HostEffect[],
): void {
  const { id: inputId } = turn;
  if (state.turn !== undefined || state.ended) {
    out.push({ type: 'input', inputId, state: 'returned' });
    return;
  }
  state.turn = { id: inputId, reading: parts.initial(turn, state.settings) };
  const { text, keepOpen } = parts.opening(turn, state.settings, state.context);
  out.push({ type: 'input', inputId, state: 'given' });
  out.push({ type: 'input', inputId, state: 'taken', turnId: inputId });
  if (text !== '') out.push({ type: 'write', text });
  if (keepOpen !== true) out.push({ type: 'close-input' });
}

function answer<Settings, Reading>(
  parts: PerTurnParts<Settings, Reading>,
  { turn, ended }: PerTurnState<Settings, Reading>,
  input: Input<'answer'>,
  out: HostEffect[],
): void {
  if (turn !== undefined && !ended) parts.answer?.(turn.reading, input.askId, input.answer, out);
}

function exit<Settings, Reading>(
  parts: PerTurnParts<Settings, Reading>,
  state: PerTurnState<Settings, Reading>,
  how: Exit,
  out: HostEffect[],
): void {
  if (state.ended) return;
  state.ended = true;
  if (state.turn === undefined) return;
  const { id, reading } = state.turn;
  parts.withdraw?.(reading, out);
  parts.exit(reading, how, eventsOf(out, id));
}
