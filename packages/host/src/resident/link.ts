import type { Event, EventsEffect, HostEffect, Turn } from '@plugboard/protocol';
import type { Ask, Link, Receive } from '../agent.ts';
import { offerToAsk } from '../approvals/approve.ts';
import { createLinkAsks, mayAsk } from '../bridge/link.ts';
import { createAsks } from '../run/asks.ts';
import { type FaultCount, limitFaults } from '../run/fault-limit.ts';
import type { Conversation } from './conversation.ts';

/** A link whose effects come from the machine of the dialect. */
export interface ResidentLink extends Link {
  take(effects: readonly HostEffect[]): void;
  /** Whether the agent waits for an answer. */
  isAsking(): boolean;
  /** Ends turns that were not begun, instead of sending them again. */
  close(): void;
}

/** The parts of an open agent that a link needs. */
interface LinkedAgent {
  readonly conversation: Conversation;
  /** The approvals of the profile, in front of an `Ask`. */
  approve(ask: Ask | undefined): Ask | undefined;
  /** Sees the events of a turn. An event that it returns is passed on before them. */
  remember(turn: Turn | undefined, events: readonly Event[]): Event | undefined;
}

export function createResidentLink(
  { conversation, approve, remember }: LinkedAgent,
  receive: Receive,
): ResidentLink {
  /** Inputs that no turn has taken. */
  const sent = new Map<string, Turn>();
  /** Turns that were sent and have not ended, by id. */
  const turns = new Map<string, Turn>();
  const stopped = new Set<string>();
  const faults = new Map<string, FaultCount>();
  const asks = createAsks(() => conversation.process);
  let offered = false;
  let closed = false;
  let unread = 0;

  const pass = (effects: readonly HostEffect[]): void => {
    unread += 1;
    void receive(effects).then(() => {
      unread -= 1;
      if (unread === 0) conversation.drained();
    });
  };
  const front = createLinkAsks(pass);
  const send = (turn: Turn): void => {
    sent.set(turn.id, turn);
    turns.set(turn.id, turn);
    conversation.send(turn);
  };
  const fit = (effect: HostEffect, again: Turn[]): HostEffect[] => {
    if (effect.type === 'events') return [limited(effect)];
    if (effect.type !== 'input') return [];
    const { inputId } = effect;
    const turn = sent.get(inputId);
    if (effect.state !== 'given') sent.delete(inputId);
    if (effect.state === 'taken' && effect.turnId !== inputId) turns.delete(inputId);
    if (effect.state !== 'returned') return [effect];
    if (stopped.delete(inputId) || closed) return cancelled(inputId);
    if (turn !== undefined) again.push(turn);
    return [];
  };
  const limited = (effect: EventsEffect): HostEffect => {
    const { turnId } = effect;
    if (turnId === undefined) return effect;
    const count = faults.get(turnId) ?? { faults: 0 };
    const remark = remember(turns.get(turnId), effect.events);
    const events = limitFaults(count, remark === undefined ? effect.events : [remark, ...effect.events]);
    if (events.at(-1)?.type === 'end') {
      faults.delete(turnId);
      stopped.delete(turnId);
      turns.delete(turnId);
    } else if (count.faults > 0) faults.set(turnId, count);
    return { ...effect, events };
  };
  const ask = ({ askId, turnId, question }: HostEffect & { type: 'ask' }): void => {
    const push = (events: Event[]): void => pass([{ type: 'events', turnId, events }]);
    asks.open(askId, question, { ask: approve(offered ? front.by(turnId) : undefined), push });
  };
  return {
    send(turn) {
      offered = mayAsk(turn);
      send(offerToAsk(turn, approve(offered ? front.by(turn.id) : undefined)));
    },
    interrupt(turnId) {
      stopped.add(turnId);
      conversation.interrupt(turnId, 'cancel', true);
    },
    answer: front.answer,
    take(effects) {
      const again: Turn[] = [];
      let passed: HostEffect[] = [];
      const flush = (): void => {
        if (passed.length > 0) pass(passed);
        passed = [];
      };
      for (const effect of effects) {
        if (effect.type === 'ask' || effect.type === 'withdraw') flush();
        if (effect.type === 'ask') ask(effect);
        else if (effect.type === 'withdraw') asks.withdraw(effect.askId);
        else passed.push(...fit(effect, again));
      }
      flush();
      if (unread === 0) conversation.drained();
      for (const turn of again) send(turn);
    },
    isAsking: asks.pending,
    close() {
      closed = true;
    },
  };
}

function cancelled(inputId: string): HostEffect[] {
  return [
    { type: 'input', inputId, state: 'taken', turnId: inputId },
    { type: 'events', turnId: inputId, events: [{ type: 'end', outcome: 'cancelled', text: '' }] },
  ];
}
