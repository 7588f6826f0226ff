import type { Answer, JsonValue } from '@plugboard/protocol';
import { type Nodes, type Session, type Store, StoreError } from '@plugboard/store';
import type { NewsSender } from './node-news.ts';

/** A request to the gateway that has the lease of a session. */
export type PeerQuestion =
  /** The messages that the agent of the running turn has taken in; null when no turn runs. */
  | { readonly kind: 'taken-in'; readonly sessionId: string }
  /** Stops the running turn. Whether one ran. */
  | { readonly kind: 'halt'; readonly sessionId: string }
  /** Stops one turn, and lets what waits go on. Whether it ran. */
  | { readonly kind: 'cancel-turn'; readonly sessionId: string; readonly turnId: string }
  /** Whether a message that comes now would be sent into the turn. */
  | { readonly kind: 'can-steer'; readonly sessionId: string; readonly turnId: string }
  /** Ends the agent processes of the session, after its turn those of other agents than `except`. */
  | { readonly kind: 'dismiss'; readonly sessionId: string; readonly except?: string }
  /** Gives the answer to an agent. Whether the question was still open. */
  | {
      readonly kind: 'answer';
      readonly sessionId: string;
      readonly askId: string;
      readonly answer: Answer;
    }
  /** Takes no new turns, and gives up what it holds; or the opposite. */
  | { readonly kind: 'drain'; readonly isDraining: boolean };

interface PeerAnswers {
  readonly 'taken-in': readonly string[] | null;
  readonly halt: boolean;
  readonly 'cancel-turn': boolean;
  readonly 'can-steer': boolean;
  readonly dismiss: true;
  readonly answer: boolean;
  readonly drain: true;
}

type AnswerTo<Q extends PeerQuestion> = PeerAnswers[Q['kind']];

/** The other gateways on the same store. */
export interface Peers {
  /** Whether there is another gateway. */
  readonly exist: boolean;
  /** The live gateway other than this one that has the lease of the session. */
  holderOf(session: Pick<Session, 'node'>): string | undefined;
  /** Reads the session, and returns its `holderOf`. */
  findHolder(sessionId: string): Promise<string | undefined>;
  ask<Q extends PeerQuestion>(node: string, question: Q): Promise<AnswerTo<Q>>;
  /** Undefined when no other gateway has the session, or the one that had it has just ended. */
  askHolder<Q extends PeerQuestion & { readonly sessionId: string }>(
    question: Q,
  ): Promise<AnswerTo<Q> | undefined>;
  readonly news: NewsSender;
}

export function createPeers(nodes: Nodes, store: Pick<Store, 'sessions'>, news: NewsSender): Peers {
  const holderOf: Peers['holderOf'] = ({ node }) =>
    node !== undefined && node !== nodes.name && nodes.peers.includes(node) ? node : undefined;
  const findHolder: Peers['findHolder'] = async (sessionId) => {
    if (nodes.peers.length === 0) return undefined;
    const session = await store.sessions.get(sessionId);
    return session && holderOf(session);
  };
  const ask = async <Q extends PeerQuestion>(node: string, question: Q): Promise<AnswerTo<Q>> =>
    (await nodes.ask(node, question as unknown as JsonValue)) as unknown as AnswerTo<Q>;
  return {
    get exist() {
      return nodes.peers.length > 0;
    },
    holderOf,
    findHolder,
    ask,
    async askHolder(question) {
      const holder = await findHolder(question.sessionId);
      if (holder === undefined) return undefined;
      try {
        return await ask(holder, question);
      } catch (error) {
        const isGone = !nodes.peers.includes(holder);
        if (isGone && error instanceof StoreError) return undefined;
        throw error;
      }
    },
    news,
  };
}

/** The peers of a gateway that has its store alone. */
export const noPeers: Peers = {
  exist: false,
  holderOf: () => undefined,
  findHolder: async () => undefined,
  ask: () => Promise.reject(new Error('This gateway has its store alone.')),
  askHolder: async () => undefined,
  news: { events() {}, changed() {}, waiting() {}, deliveries() {}, work() {} },
};
