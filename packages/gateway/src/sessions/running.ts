import type { End, Event, MediaAccess, Turn } from '@plugboard/host';
import { createTurn } from '@plugboard/host';
import type { Claim, Holder, Message } from '@plugboard/store';
import type { TurnAgent } from '../agents/turn-agent.ts';
import { platformPlace } from '../channels/places.ts';

/**
 * A turn of a session. The agent may answer its messages in several turns of its own, one after the other: the turn of
 * the session ends with the last of them.
 */
export interface Running {
  readonly claim: Claim;
  readonly holder: Holder;
  /** Undefined when the agent is not configured. */
  readonly agent: TurnAgent | undefined;
  /** Files that the agent may send. */
  readonly access: (() => MediaAccess) | undefined;
  /** Number of events that were recorded. */
  said: number;
  /** Number of `progress` events that were planned for delivery. */
  progressSaid: number;
  /** Whether a recorded event was an answer. */
  answered: boolean;
  /** Whether the agent has sent `accepted`. */
  accepted: boolean;
  /** Whether a message may be waiting for the end of this turn. */
  followed: boolean;
  /** Reason for an interrupt by the gateway; undefined when the agent ended the turn. */
  stopped: 'cancel' | 'timeout' | 'shutdown' | undefined;
  /** Messages that the agent was sent, and that none of its turns has taken: the principal of each, by id. */
  readonly sent: Map<string, string>;
  /** Ids of messages that a turn of the agent has taken, as its first or as steering. */
  readonly takenIn: Set<string>;
  /** Ids of messages that the agent will not answer. The commit that ends the turn returns them to the inbox. */
  readonly returned: string[];
  /** Whether the agent has begun to answer. Before that, turns of its own end without ending this turn. */
  begun: boolean;
  /** The turn of the agent that is being recorded. */
  current: AgentTurn | undefined;
  /** How the last turn of the agent ended. */
  last: { readonly id: string; readonly end: End } | undefined;
  /** Events to be recorded with the next commit. */
  pending: Event[];
  /** Settles when no message is being moved from the inbox into this turn. */
  steering: Promise<unknown>;
  /** Set before the commit that ends the turn: it takes no more messages. */
  ending: boolean;
  /** Set when the turn cannot be recorded: events are dropped until the agent has ended it. */
  lost: boolean;
  /** Settles when the turn has ended and is committed. */
  readonly ended: PromiseWithResolvers<void>;
}

/** A turn as the agent counts them. */
interface AgentTurn {
  readonly id: string;
  /** The agent has not announced it: its `end` may never come. */
  readonly isStray: boolean;
}

export function createRunning(
  claim: Claim,
  holder: Holder,
  agent: TurnAgent | undefined,
  access: Running['access'],
): Running {
  return {
    ...{ claim, holder, agent, access },
    said: 0,
    progressSaid: 0,
    answered: false,
    accepted: false,
    followed: claim.session.waiting > 0,
    stopped: undefined,
    sent: new Map(),
    takenIn: new Set(),
    returned: [],
    begun: claim.message === undefined,
    current: undefined,
    last: undefined,
    pending: [],
    steering: Promise.resolve(),
    ending: false,
    lost: false,
    ended: Promise.withResolvers(),
  };
}

/** Whether the person who is waiting for this turn would be told nothing at its end. */
export function endsInSilence({ claim, answered, stopped }: Running, { outcome }: End): boolean {
  return claim.message !== undefined && !answered && stopped === undefined && outcome === 'success';
}

/** Whether a message that arrives now is sent into the turn. */
export function isSteerable({ agent, stopped, ending, current, sent }: Running): boolean {
  if (agent?.takesSteering !== true || stopped !== undefined || ending) return false;
  return sent.size > 0 || current?.isStray === false;
}

/**
 * Whether the turn can be ended: the agent is in no turn, and has answered or returned every message. At a shutdown
 * unanswered messages are returned without its word.
 */
export function isOver({ begun, current, sent, last, stopped }: Running): boolean {
  if (!begun || current !== undefined || last === undefined) return false;
  return sent.size === 0 || stopped === 'shutdown';
}

/**
 * Whether the dispatcher may claim a waiting message before the agent's next turn of its own. True after a turn that
 * the agent began by itself: otherwise an agent that keeps beginning turns delays the message for ever.
 */
export function isMessageNext({ claim, followed }: Pick<Running, 'claim' | 'followed'>): boolean {
  return claim.message === undefined && followed;
}

/**
 * Turn for a message, with the id of the message, by which events refer to it. An attachment with a `path` loses its
 * `url`, which the agent cannot use.
 */
export function turnFor({ session }: Pick<Claim, 'session'>, message: Message): Turn {
  const { agentSession, title, chosen } = session;
  return createTurn({
    id: message.id,
    text: message.text,
    attachments: message.attachments.map(({ url, ...file }) =>
      file.path === undefined && url !== undefined ? { ...file, url } : file,
    ),
    sender: message.sender,
    channel: session.channel,
    chatId: platformPlace(session.place),
    session: {
      key: session.id,
      ...(agentSession === undefined ? {} : { agentId: agentSession }),
      ...(title === '' ? {} : { name: title }),
      ...(Object.keys(chosen).length === 0 ? {} : { options: chosen }),
    },
  });
}
