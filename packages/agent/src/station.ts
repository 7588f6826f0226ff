import type { AnyDialect, Event, Failure, Request } from '@plugboard/protocol';
import type { Output } from './output.ts';

/** The agent's end of the wire: requests come in by `step`, events go out by `emit`. */
export interface Station {
  readonly dialect: AnyDialect;
  readonly state: unknown;
  readonly output: Output;
  /** Where things go that the dialect has no form for. */
  readonly log: (text: string) => void;
  /** Why no request could be read, where that is not the dialect's business. */
  readonly inputProblem: () => Failure | undefined;
}

/** Writes an event in the station's dialect; what it folds into the operator's log goes there. */
export function emit(station: Station, event: Event): Promise<void> {
  const { dialect, state, output } = station;
  const problem = event.type === 'session' ? dialect.agent.sessionProblem?.(event.id) : undefined;
  if (problem !== undefined) station.log(`warning: ${problem}`);
  const text = dialect.agent.encode(state, event);
  if (text === '' && dialect.capabilities.events[event.type] === 'logged') logFolded(station, event);
  return output.write(text);
}

/** Reads one line of input into requests. */
export function step(station: Station, line: string): Request[] {
  const out: Request[] = [];
  station.dialect.agent.step(station.state, line, out);
  return out;
}

/** What the dialect makes of having no input left. */
export function finishInput(station: Station): Request[] {
  const out: Request[] = [];
  station.dialect.agent.finish(station.state, out);
  return out;
}

/** Tells the operator of an event that has no other form; of one that says nothing to an operator, nothing. */
export function logFolded({ log }: Pick<Station, 'log'>, event: Event): void {
  const text = foldedText(event);
  if (text !== undefined) log(text);
}

function foldedText(event: Event): string | undefined {
  switch (event.type) {
    case 'progress':
      return event.text;
    case 'log':
      // What another program wrote for the operator stays as it is.
      return event.source === 'stderr' ? event.text : `${event.level}: ${event.text}`;
    case 'tool-call':
      return `tool ${event.name} ${JSON.stringify(event.input)}`;
    case 'tool-result':
      return `tool result${event.isError ? ' (error)' : ''}: ${event.content}`;
    case 'tasks':
      return `tasks ${JSON.stringify(event.tasks)}`;
    case 'fault':
      return `fault: ${event.fault.message}`;
    default:
      return undefined;
  }
}
