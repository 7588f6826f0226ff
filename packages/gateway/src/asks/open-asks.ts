import type { Ask } from '@plugboard/host';
import { type Answer, answerOf, type Question } from '@plugboard/protocol';
import type { Session } from '@plugboard/store';
import type { AgentConfig } from '../config/config.ts';
import { API_CHANNEL } from '../sessions/brief-session.ts';

/** A question of an agent of this gateway that waits for an answer. */
export interface OpenAsk {
  readonly id: string;
  readonly sessionId: string;
  readonly question: Question;
  /** Senders who may answer; everyone in the session when absent. */
  readonly approvers: readonly string[] | undefined;
}

/** Who gave the first answer to a question, and with which option. */
export interface Given {
  readonly by: string;
  readonly option?: string | undefined;
}

/** How many `Given` are remembered until the `ask-ended` event of their question is stored. */
const MOST_GIVEN = 1000;

/** Open questions of this gateway. They are stored as events; this maps them to the waiting agents. */
export interface OpenAsks {
  /** Returns the `Ask` of a session; undefined when the agent may not ask. */
  by(session: Pick<Session, 'id' | 'channel'>, agent: AgentConfig): Ask | undefined;
  find(id: string): OpenAsk | undefined;
  /** Number of open questions. */
  readonly size: number;
  /** Questions of a session, in the order in which they were asked. */
  inSession(sessionId: string): readonly OpenAsk[];
  /** Passes the first answer to the agent. False when the question is not open. */
  answer(id: string, answer: Answer): boolean;
  /** The first answer to a question that `answer` has passed on. */
  given(id: string): Given | undefined;
}

interface Waiting extends OpenAsk {
  resolve(answer: Answer): void;
}

export function createOpenAsks(): OpenAsks {
  const open = new Map<string, Waiting>();
  const given = new Map<string, Given>();

  const ask =
    (sessionId: string, approvers: readonly string[] | undefined): Ask =>
    (question, { id, signal }) =>
      new Promise((resolve, reject) => {
        open.set(id, { id, sessionId, question, approvers, resolve });
        const withdraw = (): void => {
          open.delete(id);
          reject(signal.reason);
        };
        if (signal.aborted) withdraw();
        else signal.addEventListener('abort', withdraw, { once: true });
      });
  return {
    by(session, { profile: { approvals } }) {
      if (approvals === undefined) return undefined;
      return session.channel === API_CHANNEL ? refuseForPrograms : ask(session.id, approvals.approvers);
    },
    find: (id) => open.get(id),
    get size() {
      return open.size;
    },
    inSession: (sessionId) => [...open.values()].filter((one) => one.sessionId === sessionId),
    answer(id, answer) {
      const waiting = open.get(id);
      if (waiting === undefined) return false;
      open.delete(id);
      given.set(id, { by: answer.by, option: answer.option });
      // A `Map` iterates in insertion order: the oldest is forgotten first.
      for (const [oldest] of given) if (given.size > MOST_GIVEN) given.delete(oldest);
      waiting.resolve(answer);
      return true;
    },
    given: (id) => given.get(id),
  };
}

const FOR_PROGRAMS =
  'This conversation is held by a program through the API, which has no way to ask a person; only the rules of the agent allow things here.';

/** Refuses questions in API sessions, which have no user. */
const refuseForPrograms: Ask = async (question) =>
  answerOf(question, { allowed: false, reason: FOR_PROGRAMS }, { by: 'gateway', via: 'policy' });

/** The reason why an answer does not fit its question; undefined when it fits. */
export function answerProblem(
  { kind, options }: Question,
  { option, text, data }: Pick<Answer, 'option' | 'text' | 'data'>,
): string | undefined {
  if (option !== undefined && !options.some(({ id }) => id === option))
    return `There is no option "${option}". There are: ${options.map(({ id }) => id).join(', ')}.`;
  if (kind === 'permission' || (kind === 'choice' && text === undefined))
    return option === undefined ? 'Choose one of the options of the question.' : undefined;
  if (kind === 'text' && text === undefined) return 'This question is answered with a text.';
  if (kind === 'form' && data === undefined) return 'This question is answered with data.';
  return undefined;
}
