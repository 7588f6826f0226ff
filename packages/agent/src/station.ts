import {
  type AgentEffect,
  type AgentInput,
  type Event,
  planText,
  type ServedDialect,
} from '@plugboard/protocol';
import type { Output } from './output.ts';
import type { AttachedData } from './serve/attached-data.ts';

/** Agent side of a dialect: its `state`, and the `output` for its bytes. */
export interface Station {
  readonly dialect: ServedDialect;
  readonly state: unknown;
  readonly output: Output;
  /** Where attachments go that came inside a message. */
  readonly attached: AttachedData;
  /** Receives events that the dialect cannot express, and log effects. */
  readonly log: (text: string) => void;
}

/** Effects that `serveOnce`, `serveInteractive` and `serveResident` handle themselves. */
export type Request = Exclude<AgentEffect, { type: 'write' | 'log' }>;

/** Feeds `input` to `agent.step`, writes `write` and `log` effects, and returns all other effects. */
export function applyInput(
  station: Station,
  input: AgentInput,
): { requests: Request[]; written: Promise<void> } {
  const out: AgentEffect[] = [];
  station.dialect.agent.step(station.state, input, out);
  const requests: Request[] = [];
  let text = '';
  for (const effect of out) {
    if (effect.type === 'write') text += effect.text;
    else if (effect.type === 'log') station.log(effect.text);
    else if (effect.type === 'turn') requests.push({ ...effect, turn: station.attached.save(effect.turn) });
    else requests.push(effect);
  }
  return { requests, written: station.output.write(text) };
}

/**
 * Writes an event in the dialect. Events that its capability table marks `logged` go to `station.log`. `sessionKey` is
 * that of an event of no turn.
 */
export function emitEvent(
  station: Station,
  turnId: string | undefined,
  event: Event,
  sessionKey?: string,
): Promise<void> {
  const { dialect, state, output } = station;
  const out: AgentEffect[] = [];
  const of = sessionKey === undefined ? {} : { sessionKey };
  dialect.agent.step(state, { type: 'event', turnId, event, ...of }, out);
  let text = '';
  for (const effect of out) {
    if (effect.type === 'write') text += effect.text;
    else if (effect.type === 'log') station.log(effect.text);
  }
  if (text === '' && dialect.capabilities.events[event.type] === 'logged') logFolded(station, event);
  return output.write(text);
}

/** Logs an event that the dialect cannot express. Types without a case in `foldedText` are dropped. */
export function logFolded({ log }: Pick<Station, 'log'>, event: Event): void {
  const text = foldedText(event);
  if (text !== undefined) log(text);
}

function foldedText(event: Event): string | undefined {
  switch (event.type) {
    case 'progress':
      return event.text;
    case 'log':
      // stderr of a program keeps its own format, without a level in front.
      return event.source === 'stderr' ? event.text : `${event.level}: ${event.text}`;
    case 'tool-call':
      return `tool ${event.name} ${JSON.stringify(event.input)}`;
    case 'tool-result':
      return `tool result${event.isError ? ' (error)' : ''}: ${event.content}`;
    case 'plan':
      return `plan\n${planText(event)}`;
    case 'thinking':
      return event.streamed ? undefined : `thinking: ${event.text}`;
    case 'tasks':
      return `tasks ${JSON.stringify(event.tasks)}`;
    case 'fault':
      return `fault: ${event.fault.message}`;
    case 'ask':
      return `question: ${event.question.title}`;
    case 'ask-ended':
      return `question ${event.outcome}${event.answer?.option === undefined ? '' : `: ${event.answer.option}`}`;
    default:
      return undefined;
  }
}
