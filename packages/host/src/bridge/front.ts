import type { AgentEffect, AgentInput, Answer, Event, Question, Turn } from '@plugboard/protocol';
import type { FrontRequest } from './machine.ts';

/** Takes the place of a handler for fronts whose process stays: effects of their machine in, inputs for it out. */
export type Relay = (tell: (input: AgentInput) => Promise<void>) => OpenRelay;

/** A relay whose front has started. */
export interface OpenRelay {
  /** Takes an effect of the front's machine, or a request about the process of the front. */
  take(request: AgentEffect | FrontRequest): void;
  /** Settles when no input will come and every turn has ended. */
  readonly done: Promise<void>;
}

/** The front of a bridge during one turn; the SDK's `TurnIO` implements it. */
export interface Front {
  readonly signal: AbortSignal;
  emit(event: Event): Promise<void>;
  /** Asks a person by way of the host of the front. Aborting `withdrawn` withdraws the question. */
  ask?(question: Question, withdrawn: AbortSignal): Promise<Answer>;
}

interface OpenFront {
  readonly front: Front;
  readonly end: () => void;
}

/** A handler for fronts that have one turn at a time, with the same machine behind. */
export function handlerOf(relay: Relay): (turn: Turn, front: Front) => Promise<void> {
  const fronts = new Map<string, OpenFront>();
  const questions = new Map<string, AbortController>();
  let opened: OpenRelay | undefined;

  const ask = async ({ askId, turnId, question }: AgentInput & { type: 'ask' }): Promise<void> => {
    const front = fronts.get(turnId)?.front;
    if (front?.ask === undefined) return opened?.take({ type: 'cannot-ask', askId });
    const controller = new AbortController();
    questions.set(askId, controller);
    const answer = await front.ask(question, controller.signal);
    if (questions.delete(askId)) opened?.take({ type: 'answer', askId, answer });
  };
  const tell = async (input: AgentInput): Promise<void> => {
    if (input.type === 'ask') void ask(input);
    else if (input.type === 'withdraw') {
      questions.get(input.askId)?.abort();
      questions.delete(input.askId);
    } else if (input.type === 'event') {
      const { event, turnId = '' } = input;
      const open = fronts.get(turnId);
      // Both are for a front whose host gives it several messages.
      if (event.type === 'accepted' || event.type === 'queued') return;
      await open?.front.emit(event);
      if (event.type === 'end') open?.end();
    }
  };
  return async (turn, front) => {
    opened ??= relay(tell);
    const { take } = opened;
    const { promise, resolve } = Promise.withResolvers<void>();
    fronts.set(turn.id, { front, end: resolve });
    const interrupt = (): void => take({ type: 'interrupt', turnId: turn.id });
    take({ type: 'turn', turn });
    if (front.signal.aborted) interrupt();
    front.signal.addEventListener('abort', interrupt, { once: true });
    await promise;
    front.signal.removeEventListener('abort', interrupt);
    fronts.delete(turn.id);
  };
}
