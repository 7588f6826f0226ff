import type { Answer, HostEffect } from '@plugboard/protocol';
import type { Ask, Link, OpenAgent, Receive } from '../agent.ts';

/** The conversation with an agent of any kind. A one-shot agent gets a process for each `send`. */
export function linkTo(agent: OpenAgent, receive: Receive): Link {
  return agent.resident?.connect(receive) ?? linkRuns(agent, receive);
}

function linkRuns(agent: OpenAgent, receive: Receive): Link {
  const stops = new Map<string, AbortController>();
  const asks = createLinkAsks(receive);
  return {
    send(turn) {
      const { id } = turn;
      const controller = new AbortController();
      stops.set(id, controller);
      const run = agent.run(turn, controller.signal, mayAsk(turn) ? asks.by(id) : undefined);
      void (async () => {
        await receive([{ type: 'input', inputId: id, state: 'taken', turnId: id }]);
        for await (const events of run.batches())
          await receive([{ type: 'events', turnId: id, events: [...events] }]);
        stops.delete(id);
      })();
    },
    interrupt: (turnId) => stops.get(turnId)?.abort(),
    answer: asks.answer,
  };
}

/** Whether the host in front has offered to answer questions. */
export function mayAsk({ extensions }: { readonly extensions?: { readonly permission?: unknown } }): boolean {
  return extensions?.permission === true;
}

/** Questions that are passed on as effects. */
export interface LinkAsks {
  /** An `Ask` for the questions of the turn `turnId`. */
  by(turnId: string): Ask;
  answer(askId: string, answer: Answer): void;
}

export function createLinkAsks(receive: (effects: readonly HostEffect[]) => void): LinkAsks {
  const open = new Map<string, (answer: Answer) => void>();
  return {
    by:
      (turnId) =>
      (question, { id: askId, signal }) => {
        const { promise, resolve } = Promise.withResolvers<Answer>();
        open.set(askId, resolve);
        // The promise stays open: the asker has withdrawn the question and waits for it no longer.
        signal.addEventListener('abort', () => {
          if (open.delete(askId)) receive([{ type: 'withdraw', askId }]);
        });
        receive([{ type: 'ask', askId, turnId, question }]);
        return promise;
      },
    answer(askId, answer) {
      open.get(askId)?.(answer);
      open.delete(askId);
    },
  };
}
