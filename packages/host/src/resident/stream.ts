import {
  dialects,
  type Event,
  type EventsEffect,
  type HostEffect,
  type HostSide,
  type InputEffect,
  type LaunchContext,
  type SessionRef,
  type Settings,
  type Turn,
} from '@plugboard/protocol';
import type { Ask, OpenAgent } from '../agent.ts';
import { approve, offerToAsk } from '../approvals/approve.ts';
import { mediaAccessOf } from '../media/access.ts';
import type { OpenOptions } from '../open-options.ts';
import type { Profile } from '../profile/profile.ts';
import { createAsks } from '../run/asks.ts';
import { type FaultCount, limitFaults } from '../run/fault-limit.ts';
import { createConversation } from './conversation.ts';

/** One step of an agent: events of a turn or of no turn, or what became of an input. */
export type StreamEffect = EventsEffect | InputEffect;

/**
 * A resident agent as one ordered stream, for hosts that keep what it says. Each `send` is `taken` by exactly one turn
 * or `returned`, and each turn that has an event has one `end`, its last event.
 */
export interface AgentStream
  extends Pick<OpenAgent, 'name' | 'dialect' | 'capabilities' | 'mediaAccess' | 'close'> {
  /**
   * Sends an input, which starts a turn or steers the turn that runs. The process is started when there is none. `ask`
   * gets the questions of the turn of this id; those of other turns go to `OpenOptions.ask`.
   */
  send(turn: Turn, ask?: Ask): void;
  /** Stops a turn; the process is ended when the turn does not end. After `timeout`, its steering is still answered. */
  interrupt(turnId: string, cause: 'cancel' | 'timeout'): void;
  /** Starts the process if there is none. `session` is that of the turn to come, with the agent's id where it is known. */
  start(session?: SessionRef): void;
  /**
   * All effects from the first on, in order; ends after `close`. Can be read once. The process is held back while they
   * are not read.
   */
  effects(): AsyncIterableIterator<readonly StreamEffect[]>;
}

/** The stream of an agent with one process for many turns. */
export function createStream(
  profile: Profile,
  host: HostSide<Settings, unknown>,
  context: LaunchContext,
  options: OpenOptions,
): AgentStream {
  const askers = new Map<string, Ask | undefined>();
  const faults = new Map<string, FaultCount>();
  const ownAsk = approve(profile, options.ask);
  let waiting: StreamEffect[] = [];
  let wake: (() => void) | undefined;
  let closed = false;

  const push = (effect: StreamEffect): void => {
    waiting.push(effect);
    wake?.();
  };
  const pushEvents = (turnId: string | undefined, events: Event[]): void => {
    const passed = turnId === undefined ? events : limitFaults(faultsOf(turnId), events);
    if (passed.length > 0) push({ type: 'events', turnId, events: passed });
    if (turnId === undefined || events.at(-1)?.type !== 'end') return;
    faults.delete(turnId);
    askers.delete(turnId);
  };
  const faultsOf = (turnId: string): FaultCount => {
    const count = faults.get(turnId) ?? { faults: 0 };
    faults.set(turnId, count);
    return count;
  };
  const take = (effect: HostEffect): void => {
    if (effect.type === 'events') return pushEvents(effect.turnId, effect.events);
    if (effect.type === 'withdraw') return asks.withdraw(effect.askId);
    if (effect.type === 'input') {
      if (effect.state !== 'given' && effect.turnId !== effect.inputId) askers.delete(effect.inputId);
      return push(effect);
    }
    if (effect.type !== 'ask') return;
    const { askId, turnId, question } = effect;
    const ask = askers.has(turnId) ? askers.get(turnId) : ownAsk;
    asks.open(askId, question, { ask, push: (events) => pushEvents(turnId, events) });
  };
  const conversation = createConversation(() => profile, host, context, options, {
    onEffects(effects) {
      for (const effect of effects) take(effect);
      if (waiting.length === 0) conversation.drained();
    },
    onProcessEnd: () => {},
    isAsking: () => asks.pending(),
  });
  const asks = createAsks(() => conversation.process);
  async function* effects(): AsyncGenerator<readonly StreamEffect[], undefined> {
    for (;;) {
      if (waiting.length > 0) {
        const batch = waiting;
        waiting = [];
        conversation.drained();
        yield batch;
      } else if (closed) return undefined;
      else
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
    }
  }
  return {
    name: profile.name,
    dialect: profile.dialect,
    capabilities: dialects[profile.dialect].capabilities,
    mediaAccess: (turn, since) => mediaAccessOf(profile, options.media ?? {}, { turn, since }),
    send(turn, given) {
      const ask = approve(profile, given);
      askers.set(turn.id, ask);
      conversation.send(offerToAsk(turn, ask));
    },
    interrupt: (turnId, cause) => conversation.interrupt(turnId, cause, true),
    start: (session) => conversation.start(session),
    effects,
    async close(how = {}) {
      await conversation.close(how);
      closed = true;
      wake?.();
    },
  };
}
