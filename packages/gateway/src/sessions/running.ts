import type { MediaAccess, OpenAgent, Turn } from '@plugboard/host';
import { createTurn } from '@plugboard/host';
import type { Claim, Message } from '@plugboard/store';
import { createLateAnswers, type LateAnswers } from './late.ts';
import type { OwnTurn } from './own.ts';

/** A turn that this gateway runs. */
export interface Running {
  readonly claim: Claim;
  readonly abort: AbortController;
  /** Undefined until the agent has been opened, and for agents that are no longer known. */
  agent: OpenAgent | undefined;
  /** Its agent answers in other sessions, too. */
  shared: boolean;
  /** What its agent may hand out; undefined until it has been opened. */
  access: (() => MediaAccess) | undefined;
  /** The agent has begun with it. */
  begun: boolean;
  /** Something was said before or meanwhile that may have to wait for its end. */
  followed: boolean;
  /** Why it was stopped, when that was not the agent's doing. */
  stopped: 'cancel' | 'timeout' | 'shutdown' | undefined;
  /** Messages taken from the inbox for this turn that the agent has not been given, each under its own name. */
  readonly followUps: Turn[];
  /** Messages on their way from the inbox into this turn. */
  steering: Promise<unknown>;
  readonly late: LateAnswers;
  /** Turns that the agent has begun by itself meanwhile, each to be written down as a turn of the session after this one. */
  readonly own: OwnTurn[];
  /** Claims the session for the first of them. */
  readonly claimNext: () => Promise<Claim | undefined>;
  /** That claim, once it has been asked for. */
  next: Promise<Claim | undefined> | undefined;
  /** Settles when it is over and written down. */
  ended: Promise<void>;
}

export function createRunning(claim: Claim, claimNext: Running['claimNext']): Running {
  return {
    claim,
    abort: new AbortController(),
    agent: undefined,
    shared: false,
    access: undefined,
    begun: false,
    followed: claim.session.waiting > 0,
    stopped: undefined,
    followUps: [],
    steering: Promise.resolve(),
    late: createLateAnswers(),
    own: [],
    claimNext,
    next: undefined,
    ended: Promise.resolve(),
  };
}

/**
 * Whether what is said now goes into the running turn. Never where the agent is shared: it may be at the turn of somebody else,
 * who would get these words.
 */
export function isSteerable({ agent, shared, abort }: Running): boolean {
  return (
    !shared && agent?.capabilities.steering === true && agent.resident?.busy === true && !abort.signal.aborted
  );
}

/** Ends what an agent says outside any turn: that may have no end, and somebody wants something of it now. */
export function endStray({ agent }: Pick<Running, 'agent'>): void {
  // One that is busy is at a turn, and what it says belongs to that.
  if (agent?.resident?.busy === false) agent.resident.interrupt();
}

/** What the agent is given of a message for a turn that runs, under the name of the message. */
export function steeringFor(claim: Claim, message: Message): Turn {
  return { ...turnFor(claim, message), id: message.id };
}

/** What the agent is asked for a message. Files that are here are given by their path; our address of them means nothing to it. */
export function turnFor({ session, turn }: Claim, message: Message): Turn {
  const { agentSession, title } = session;
  return createTurn({
    id: turn.id,
    text: message.text,
    attachments: message.attachments.map(({ url, ...file }) =>
      file.path === undefined && url !== undefined ? { ...file, url } : file,
    ),
    sender: message.sender,
    channel: session.channel,
    chatId: session.place,
    session: {
      key: session.id,
      ...(agentSession === undefined ? {} : { agentId: agentSession }),
      ...(title === '' ? {} : { name: title }),
    },
  });
}
