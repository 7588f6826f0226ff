import { type Event, type HostEffect, isObject, type Log, type Turn } from '@plugboard/protocol';
import type { Link, OpenAgent } from '../agent.ts';
import { type ConversationOptions, conversations } from './conversation.ts';
import { type Front, handlerOf, type Relay } from './front.ts';
import { linkTo } from './link.ts';
import {
  type AgentReport,
  type BridgeEffect,
  createBridgeState,
  type FrontRequest,
  stepBridge,
} from './machine.ts';
import { inWords, withAnswer } from './operation.ts';
import { type ClaimAgentSession, createSessionGuard } from './shared-session.ts';

/** How a bridge treats sessions. */
export interface BridgeOptions extends ConversationOptions {
  /** Called with the key of a conversation that the front wants to begin anew. */
  readonly forget?: (key: string) => void;
  /** Whether the agent has given an id for the session key before. */
  readonly isKnown?: (key: string) => boolean;
  /** Refuses turns whose session key would share an agent's own session with another key. */
  readonly claim?: ClaimAgentSession;
}

/** The two forms in which `serve` takes a bridge. */
export interface Bridge {
  /** Answers one turn at a time. */
  handler(turn: Turn, front: Front): Promise<void>;
  /** Answers fronts whose process stays: it passes on their steering, and turns that the agent begins by itself. */
  readonly relay: Relay;
}

/**
 * Puts an open agent of any dialect behind a front in any dialect. Messages during a turn steer the agent where it can
 * be steered; otherwise they wait for their own turn. An `Operation` becomes a prompt for an agent without operations.
 * The bridge takes the agent over: `run` must not be called beside it.
 */
export function bridge(agent: OpenAgent, options: BridgeOptions = {}): Bridge {
  const relay = createRelay(agent, options);
  return { relay, handler: handlerOf(relay) };
}

type AgentInputs = Extract<BridgeEffect, { type: 'event' | 'ask' | 'withdraw' }>;

/** Joins `stepBridge` with the link to the agent and with the front. Both are given its effects in order. */
function createRelay(agent: OpenAgent, options: BridgeOptions): Relay {
  const { capabilities } = agent;
  const assign = conversations(agent, options);
  const guard = createSessionGuard(agent, options.session === undefined ? options.claim : undefined);
  const state = createBridgeState({
    resident: capabilities.resident,
    steering: capabilities.steering,
    complete: (turn, end, said) => (capabilities.operations ? end : withAnswer(turn, end, said)),
  });
  const opened = Promise.withResolvers<void>();
  const done = Promise.withResolvers<void>();
  /** Turns of the front by id, as it gave them. */
  const given = new Map<string, Turn>();
  /** Inputs for a front that has not started. */
  const early: AgentInputs[] = [];
  let tell = (input: AgentInputs): Promise<void> => {
    early.push(input);
    return opened.promise;
  };
  let sending: Promise<void> = Promise.resolve();

  const step = (input: FrontRequest | AgentReport): Promise<void> => {
    const out: BridgeEffect[] = [];
    stepBridge(state, input, out);
    let written: Promise<void> = DONE;
    for (const effect of out) {
      if (effect.type === 'done') done.resolve();
      else if (effect.type === 'answer') link.answer(effect.askId, effect.answer);
      else if (effect.type === 'send') queue(() => send(effect.turn));
      else if (effect.type === 'interrupt') queue(() => link.interrupt(effect.turnId ?? ''));
      else written = tell(effect);
    }
    return written;
  };
  const queue = (task: () => void | Promise<void>): void => {
    sending = sending.then(task);
  };
  const send = async (turn: Turn): Promise<void> => {
    const first = given.get(turn.id);
    given.delete(turn.id);
    if (beginsAnew(turn)) options.forget?.(turn.session.key);
    const error = await guard.problemOf(turn);
    if (error !== undefined) {
      await step({ type: 'input', inputId: turn.id, state: 'taken', turnId: turn.id });
      const end: Event = { type: 'end', outcome: 'error', text: '', error };
      return step({ type: 'events', turnId: turn.id, events: [end] });
    }
    const events = remarksOn(turn, turn !== first, agent, options);
    if (events.length > 0) void step({ type: 'events', turnId: turn.id, events });
    link.send(capabilities.operations ? turn : inWords(turn));
  };
  const receive = async (effects: readonly HostEffect[]): Promise<void> => {
    let written: Promise<void> = DONE;
    for (const effect of effects) {
      const refusal = guard.refusalIn(effect);
      if (refusal !== undefined) void step(refusal);
      const report = reportOf(effect, agent);
      if (report !== undefined) written = step(report);
    }
    await written;
  };
  const link: Link = linkTo(agent, receive);
  return (first) => {
    tell = first;
    for (const input of early.splice(0)) void tell(input);
    opened.resolve();
    return {
      done: done.promise,
      take(request) {
        if (!isRequest(request)) return;
        if (request.type !== 'turn') return void step(request);
        const turn = assign(request.turn);
        given.set(turn.id, request.turn);
        void step({ type: 'turn', turn });
      },
    };
  };
}

const DONE: Promise<void> = Promise.resolve();

/** `write` and `log` are performed by the front itself, and `refuse` is answered there. */
function isRequest(request: { readonly type: string }): request is FrontRequest {
  return request.type !== 'write' && request.type !== 'log' && request.type !== 'refuse';
}

/**
 * The effects that concern the bridge. `session` events of an agent with `session: 'none'` are left out: the front would
 * send that id instead of the key.
 */
function reportOf(effect: HostEffect, { capabilities }: OpenAgent): AgentReport | undefined {
  switch (effect.type) {
    case 'events':
      if (capabilities.session !== 'none') return effect;
      return { ...effect, events: effect.events.filter(({ type }) => type !== 'session') };
    case 'input':
    case 'ask':
    case 'withdraw':
      return effect;
    default:
      return undefined;
  }
}

/** What the front is told before the agent is given the turn. */
function remarksOn(turn: Turn, isAssigned: boolean, agent: OpenAgent, options: BridgeOptions): Event[] {
  const remarks: Event[] = [];
  // An agent with `session: 'none'` knows the conversation by the key alone, so the front is told to bring the key
  // again.
  if (agent.capabilities.session === 'none' && isAssigned)
    remarks.push({ type: 'session', id: turn.session.key });
  for (const remark of [leftOut(turn, agent), unheeded(turn, agent, options)])
    if (remark !== undefined) remarks.push(remark);
  return remarks;
}

/** A warning about `other_blocks` of a message, which an agent without `capabilities.blocks` cannot take. */
function leftOut({ extensions }: Turn, { capabilities, name }: OpenAgent): Log | undefined {
  const blocks = extensions?.other_blocks;
  if (!Array.isArray(blocks) || blocks.length === 0 || capabilities.blocks) return undefined;
  const text = `${name} takes text alone: ${blocks.length} other blocks of the message were left out.`;
  return { type: 'log', level: 'warning', text, source: 'host' };
}

/** A warning about a `resume` or `new` that the agent cannot obey. */
function unheeded(turn: Turn, { capabilities, name }: OpenAgent, options: BridgeOptions): Log | undefined {
  if (capabilities.operations) return undefined;
  const { key } = turn.session;
  const text =
    capabilities.session === 'none'
      ? beginsAnew(turn) && capabilities.resident
        ? `${name} keeps its own conversation, which goes on: it cannot be asked for a new one.`
        : undefined
      : isResumed(turn) && options.isKnown?.(key) === false
        ? `${name} has kept no conversation of this name: a new one begins.`
        : undefined;
  return text === undefined ? undefined : { type: 'log', level: 'warning', text, source: 'host' };
}

function isResumed({ operation }: Turn): boolean {
  const session = operation?.fields.session;
  return isObject(session) && session.resume === true;
}

function beginsAnew({ operation }: Turn): boolean {
  const session = operation?.fields.session;
  return isObject(session) && session.new === true && session.resume !== true;
}
