import type { Session } from '@plugboard/store';
import { findOpenAsk } from '../asks/any-open-ask.ts';
import { authorize, type Facts, isLimitedToAgents, mayUseAgent } from './authorize.ts';
import type { Found, FoundKind, Lookup } from './lookup.ts';
import { ownerOf } from './openai/asking/place.ts';
import { Problem } from './problem.ts';
import type { RouteRequest } from './route.ts';

type Asking = Pick<RouteRequest, 'gateway' | 'principal'>;

/** Looks the resource of a request up; undefined when the request names none. Throws a `Problem` when refused. */
export async function lookUp<Kind extends FoundKind>(
  request: Asking & Pick<RouteRequest, 'params' | 'query' | 'body'>,
  { kind, in: source, name, missing }: Lookup<Kind>,
): Promise<Found[Kind] | undefined> {
  const id = (request[source] as Readonly<Record<string, string | undefined>>)[name];
  return id === undefined ? undefined : getResource(request, kind, id, missing);
}

/** Like `findResource`, but throws when there is none. */
export async function getResource<Kind extends FoundKind>(
  request: Asking,
  kind: Kind,
  id: string,
  missing: Lookup['missing'] = MISSING[kind],
): Promise<Found[Kind]> {
  const found = await findResource(request, kind, id);
  if (found === undefined) throw missing(id);
  return found;
}

/** The resource with an id; undefined when there is none that the token may see. Throws a `Problem` for 403. */
export async function findResource<Kind extends FoundKind>(
  request: Asking,
  kind: Kind,
  id: string,
): Promise<Found[Kind] | undefined> {
  const found = await FINDERS[kind](request, id);
  if (found === undefined) return undefined;
  const refusal = authorize(request.principal, { kind, facts: found.facts });
  if (refusal?.code === 'forbidden') throw new Problem('forbidden', refusal.message);
  return refusal === undefined ? found.value : undefined;
}

/** Whether the token may see a session that is at hand. */
export async function maySeeSession(
  asking: Asking,
  session: Pick<Session, 'id' | 'agent'>,
): Promise<boolean> {
  const facts = { agents: await agentsOf(asking, session) };
  return authorize(asking.principal, { kind: 'session', facts }) === undefined;
}

/** Whether the token may see the session that a row belongs to. */
export async function maySeeRow(asking: Asking, { sessionId }: { readonly sessionId: string }) {
  return (await findResource(asking, 'session', sessionId)) !== undefined;
}

interface WithFacts<Value> {
  readonly value: Value;
  readonly facts: Facts;
}

type Finders = {
  readonly [Kind in FoundKind]: (asking: Asking, id: string) => Promise<WithFacts<Found[Kind]> | undefined>;
};

const FINDERS: Finders = {
  async agent({ gateway }, id) {
    return gateway.agents.get(id) === undefined ? undefined : { value: id, facts: { agents: [id] } };
  },
  session: findSession,
  notice: findSession,
  turn: async (asking, id) => withSession(asking, await asking.gateway.store.turns.get(id)),
  recording: async (asking, id) => withSession(asking, await asking.gateway.store.turns.get(id)),
  async response(asking, id) {
    const turnId = /^resp_(.+)$/.exec(id)?.[1];
    const turn = turnId === undefined ? undefined : await asking.gateway.store.turns.get(turnId);
    const session = turn === undefined ? undefined : await findSession(asking, turn.sessionId);
    if (turn === undefined || session === undefined) return undefined;
    const facts = { ...session.facts, owner: ownerOf(session.value) };
    return { value: { turn, session: session.value }, facts };
  },
  media: async (asking, id) => withSession(asking, await asking.gateway.media.get(id)),
  ask: async (asking, id) => withSession(asking, await asking.gateway.store.asks.get(id)),
  async answer(asking, id) {
    const found = await FINDERS.ask(asking, id);
    if (found === undefined) return undefined;
    const approvers = (await findOpenAsk(asking.gateway.engine, found.value))?.approvers;
    return { ...found, facts: { ...found.facts, approvers } };
  },
  delivery: async (asking, id) => withSession(asking, await asking.gateway.store.outbox.get(id)),
};

async function findSession(asking: Asking, id: string): Promise<WithFacts<Session> | undefined> {
  const value = await asking.gateway.store.sessions.get(id);
  return value === undefined ? undefined : { value, facts: { agents: await agentsOf(asking, value) } };
}

/** A row that is visible with its session. */
async function withSession<Row extends { readonly sessionId: string }>(
  asking: Asking,
  value: Row | undefined,
): Promise<WithFacts<Row> | undefined> {
  const session = value === undefined ? undefined : await findSession(asking, value.sessionId);
  return value === undefined || session === undefined ? undefined : { value, facts: session.facts };
}

/**
 * All agents of a session, past and present, because its messages cannot be filtered by agent. The past ones are read
 * only when they decide: not for a token without `agent:NAME`, and not when the present agent is refused already.
 */
async function agentsOf(
  { gateway, principal }: Asking,
  { id, agent }: Pick<Session, 'id' | 'agent'>,
): Promise<readonly string[]> {
  if (!isLimitedToAgents(principal) || !mayUseAgent(principal, agent)) return [agent];
  return [agent, ...(await gateway.store.turns.agents(id))];
}

function noSuch(thing: string): () => Problem {
  return () => new Problem('not-found', `There is no such ${thing}.`);
}

const MISSING: Readonly<Record<FoundKind, (id: string) => Problem>> = {
  agent: (id) => new Problem('invalid', `There is no agent "${id}".`),
  session: noSuch('session'),
  notice: noSuch('session'),
  turn: noSuch('turn'),
  recording: noSuch('turn'),
  response: noSuch('response'),
  media: noSuch('file'),
  ask: noSuch('question'),
  answer: noSuch('question'),
  delivery: noSuch('delivery'),
};
