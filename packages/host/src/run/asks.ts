import { randomUUID } from 'node:crypto';
import { type Answer, answerOf, type Event, type Question, reasonOf } from '@plugboard/protocol';
import type { Ask } from '../agent.ts';

/** Limit of unread answers on stdin, 1 MiB. An agent that keeps asking without reading is stopped. */
const UNREAD_BYTES = 1024 * 1024;

/** The process whose agent asks. */
export interface AskingProcess {
  step(input: { readonly type: 'answer'; readonly askId: string; readonly answer: Answer }): void;
  readonly child: { pendingInput(): number; stop(cause: 'limit'): void };
}

/** The `ask` of a turn, and the receiver of the events about its questions. */
interface AskedTurn {
  readonly ask: Ask | undefined;
  readonly push: (events: Event[]) => void;
}

/** The open questions of one agent. */
export interface Asks {
  /**
   * `askId` is the name that the agent has for the question; events and `Ask` know it by an id that no other question
   * has.
   */
  open(askId: string, question: Question, turn: AskedTurn): void;
  /** The agent waits for this answer no longer. */
  withdraw(askId: string): void;
  /** Whether the agent waits for an answer. */
  pending(): boolean;
}

interface Open {
  readonly id: string;
  readonly controller: AbortController;
  readonly push: AskedTurn['push'];
}

/** Puts the questions of an agent to `ask`, and gives the agent the answers as they come. */
export function createAsks(process: () => AskingProcess | undefined): Asks {
  const open = new Map<string, Open>();

  const answer = (askId: string, { id, push }: Open, given: Answer): void => {
    open.delete(askId);
    const outcome = given.via === 'deadline' ? 'expired' : 'answered';
    push([{ type: 'ask-ended', id, outcome, answer: given }]);
    const asking = process();
    asking?.step({ type: 'answer', askId, answer: given });
    if (asking !== undefined && asking.child.pendingInput() > UNREAD_BYTES) asking.child.stop('limit');
  };
  return {
    open(askId, question, { ask = denyUnattended, push }) {
      const opened: Open = { id: randomUUID(), controller: new AbortController(), push };
      open.set(askId, opened);
      push([{ type: 'ask', id: opened.id, question }]);
      void decide(question, ask, opened).then((given) => {
        // Withdrawn in the meantime, or asked again under the same `askId`.
        if (open.get(askId) === opened) answer(askId, opened, given);
      });
    },
    withdraw(askId) {
      const opened = open.get(askId);
      if (opened === undefined) return;
      open.delete(askId);
      opened.push([{ type: 'ask-ended', id: opened.id, outcome: 'withdrawn' }]);
      opened.controller.abort();
    },
    pending: () => open.size > 0,
  };
}

/** An error of `ask` is a no: an agent without an answer would wait until its turn times out. */
async function decide(question: Question, ask: Ask, { id, controller, push }: Open): Promise<Answer> {
  const { signal } = controller;
  try {
    return await ask(question, { id, signal });
  } catch (error) {
    const reason = reasonOf(error);
    const text = `The question of the agent was answered with no, since deciding it failed: ${reason}`;
    if (!signal.aborted) push([{ type: 'log', level: 'error', text, source: 'host' }]);
    return answerOf(question, { allowed: false, reason }, { by: 'host', via: 'policy' });
  }
}

const UNATTENDED = 'There is nobody here who could allow it.';

/** The answer of a host without `ask`. */
const denyUnattended: Ask = async (question) =>
  answerOf(question, { allowed: false, reason: UNATTENDED }, { by: 'host', via: 'policy' });
