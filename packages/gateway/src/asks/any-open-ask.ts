import type { Answer } from '@plugboard/protocol';
import type { StoredAsk } from '@plugboard/store';
import type { Engine } from '../sessions/engine.ts';
import type { OpenAsk } from './open-asks.ts';

type Asking = Pick<Engine, 'asks' | 'peers' | 'agents' | 'store'>;

/** A question that is open, here or at another gateway; undefined when it is open no longer. */
export async function findOpenAsk(engine: Asking, stored: StoredAsk): Promise<OpenAsk | undefined> {
  const here = engine.asks.find(stored.id);
  if (here !== undefined || stored.state !== 'open') return here;
  if ((await engine.peers.findHolder(stored.sessionId)) === undefined) return undefined;
  const { id, sessionId, question, agent } = stored;
  return { id, sessionId, question, approvers: engine.agents.get(agent)?.profile.approvals?.approvers };
}

/** Questions of a session that are open, in the order in which they were asked. */
export async function listOpenAsks(engine: Asking, sessionId: string): Promise<readonly OpenAsk[]> {
  const here = engine.asks.inSession(sessionId);
  if (here.length > 0 || (await engine.peers.findHolder(sessionId)) === undefined) return here;
  const stored = await engine.store.asks.list({ sessionId, state: 'open', limit: MOST_OPEN });
  const open = await Promise.all(stored.toReversed().map((ask) => findOpenAsk(engine, ask)));
  return open.filter((ask) => ask !== undefined);
}

/** An agent asks one or a few questions at a time. */
const MOST_OPEN = 100;

/** Gives the first answer to the agent that asks. False when the question is open no longer. */
export async function answerOpenAsk(engine: Asking, ask: OpenAsk, answer: Answer): Promise<boolean> {
  const { id: askId, sessionId } = ask;
  if (engine.asks.find(askId) !== undefined) return engine.asks.answer(askId, answer);
  return (await engine.peers.askHolder({ kind: 'answer', askId, sessionId, answer })) === true;
}
