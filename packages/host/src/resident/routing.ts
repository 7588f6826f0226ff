import type { Accepted, ControlReply, End, Event, Turn } from '@plugboard/protocol';
import type { Said } from './connection.ts';
import { type Job, tell } from './job.ts';

/** A message that was given to a running turn. */
interface Steer {
  readonly turn: Turn;
  /** False once the turn it was given to was cancelled: whoever wants no answer to that wants none to this. */
  wanted: boolean;
  /** The agent has said that it waits in its queue. */
  queued: boolean;
}

/** Which turns a resident agent is busy with. The wire carries no turn ids, so the order of frames decides. */
export interface Routing {
  /** The turn we asked for that has not ended. */
  asked: Job | undefined;
  /** A turn that nobody asked for, now running. */
  unasked: Job | undefined;
  /** Messages given to a running turn that it has not taken in yet, in order. */
  readonly steers: Steer[];
  /** The last turn did not end well. */
  failed: boolean;
  /** Interrupts that no end of a turn has answered: one that came too late is complained about. */
  interruptsOutstanding: number;
  /** Begins a turn that was not asked for; one that answers what nobody wants any more is told to nobody. */
  readonly startUnasked: (isWanted: boolean) => Job;
  /** Such a turn has begun. */
  readonly onUnwanted: (job: Job) => void;
  readonly onControl: (reply: ControlReply) => void;
  readonly onIdle: (event: Event) => void;
  /** A turn has ended, and the agent is free. */
  readonly onEnded: () => void;
}

/** Whether a turn is running that others must wait for. A stray one does not count: it may never end. */
export function isTaken({ asked, unasked }: Routing): boolean {
  return asked !== undefined || (unasked !== undefined && !unasked.stray);
}

/** Sends one thing the agent said to where it belongs. */
export function route(routing: Routing, said: Said): void {
  switch (said.type) {
    case 'complaint':
      return complain(routing, said.message);
    case 'status':
    case 'heartbeat':
      return routing.onControl(said);
    case 'accepted':
      return accept(routing, said);
    case 'queued':
      noteQueued(routing);
      return toCurrent(routing, said);
    case 'steered':
      join(routing, said.count);
      return toCurrent(routing, said);
    case 'end':
      return finish(routing, said);
    default:
      return toCurrent(routing, said);
  }
}

/** How long an agent that complains may take to begin the turn all the same. */
const BEGIN_MS = 1_000;

/**
 * What the agent has to complain about: an interrupt with nothing to interrupt, something that does not keep it from
 * answering, or a turn of ours that it will not begin.
 */
function complain(routing: Routing, message: string): void {
  const { asked, unasked } = routing;
  toCurrent(routing, { type: 'log', level: 'warning', text: message, source: 'agent' });
  if (routing.interruptsOutstanding > 0) routing.interruptsOutstanding--;
  else if (unasked === undefined && asked !== undefined && !asked.accepted) {
    clearTimeout(asked.complaint);
    asked.complaint = setTimeout(() => {
      if (routing.asked !== asked || asked.accepted) return;
      finish(routing, { type: 'end', outcome: 'error', text: '', error: { message, code: 'refused' } });
    }, BEGIN_MS);
  }
}

/** Begins our turn, or one of the agent's own: those are marked, or come when we have asked for nothing. */
function accept(routing: Routing, event: Accepted): void {
  const { asked, unasked } = routing;
  // The agent reads in order: a complaint about an earlier interrupt would have come before this.
  routing.interruptsOutstanding = 0;
  if (unasked === undefined && asked !== undefined && !asked.accepted && event.origin === undefined) {
    asked.accepted = true;
  } else if (unasked === undefined) {
    // The agent answers in order what came too late; what it does for reasons of its own answers nothing.
    const steer = event.origin === undefined ? routing.steers.shift() : undefined;
    const isWanted = steer?.wanted !== false;
    const job = routing.startUnasked(isWanted);
    job.stray = event.at === undefined && event.origin === undefined && steer === undefined;
    routing.unasked = job;
    if (!isWanted) routing.onUnwanted(job);
  }
  toCurrent(routing, event);
}

/** The agent tells of messages in the order in which it reads them. */
function noteQueued({ steers }: Routing): void {
  const next = steers.find(({ queued }) => !queued);
  if (next !== undefined) next.queued = true;
}

/** Waiting messages were taken in: steering of this turn, or a turn of ours that came while the agent had its own. */
function join(routing: Routing, count: number): void {
  const { asked, unasked } = routing;
  // It was sent before all steering.
  const joins = unasked !== undefined && asked !== undefined && !asked.accepted && !asked.joined;
  if (joins) asked.joined = true;
  routing.steers.splice(0, joins ? count - 1 : count);
}

/** Ends a turn that the agent has not announced, without waiting for a result that may never come. */
export function endStray(routing: Routing): void {
  const { unasked } = routing;
  if (unasked?.stray !== true) return;
  const message = 'The agent said something outside any turn, and had no result for it.';
  routing.unasked = undefined;
  tell(unasked, { type: 'fault', fault: { code: 'late-frame', message } });
  tell(unasked, { type: 'end', outcome: 'success', text: '' });
}

function finish(routing: Routing, end: End): void {
  const { asked, unasked } = routing;
  const ended = unasked ?? asked;
  if (ended === undefined) return;
  clearTimeout(ended.complaint);
  if (end.outcome === 'cancelled' && routing.interruptsOutstanding > 0) routing.interruptsOutstanding--;
  routing.failed = end.outcome !== 'success';
  tell(ended, end);
  if (unasked === undefined || asked?.joined === true) {
    if (unasked !== undefined && asked !== undefined) tell(asked, end);
    routing.asked = undefined;
  }
  routing.unasked = undefined;
  routing.onEnded();
}

function toCurrent(routing: Routing, event: Event): void {
  const { asked, unasked } = routing;
  if (unasked !== undefined) tell(unasked, event);
  if (asked !== undefined && (unasked === undefined || asked.joined)) tell(asked, event);
  if (asked === undefined && unasked === undefined) routing.onIdle(event);
}
