import type { Ready, SessionRef } from '@plugboard/protocol';
import type { OpenAgent } from '../agent.ts';

/** Time limit for the `ready` event of an agent. */
const INTRODUCTION_MS = 3_000;

/**
 * Starts a resident agent and returns its `Ready` event, so that a front of the same dialect can send it as its own.
 * Undefined for a one-shot agent, or when no `ready` comes within `INTRODUCTION_MS`.
 */
export async function introduction(agent: OpenAgent, sessionKey?: string): Promise<Ready | undefined> {
  const { resident } = agent;
  if (resident === undefined || agent.startAhead === undefined) return undefined;
  const { promise, resolve } = Promise.withResolvers<Ready | undefined>();
  resident.onIdleEvent((event) => event.type === 'ready' && resolve(event));
  resident.onProcessEnd(() => resolve(undefined));
  agent.startAhead(sessionKey);
  const timer = setTimeout(() => resolve(undefined), INTRODUCTION_MS);
  return promise.finally(() => clearTimeout(timer));
}

/** Time from `ready` to the options of an agent that may offer some. */
const OPTIONS_MS = 500;

/**
 * Starts the agent for a session, and settles when it has told its options: a front that names them when the session is
 * opened shows no later ones. At the latest after `INTRODUCTION_MS`; at once for an agent without a process yet.
 */
export async function offerOf(agent: OpenAgent, session: SessionRef): Promise<void> {
  const { resident, capabilities } = agent;
  if (resident === undefined || agent.startAhead === undefined) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  const timers = [setTimeout(resolve, INTRODUCTION_MS)];
  resident.onIdleEvent(({ type }) => {
    if (type === 'options') resolve();
    if (type === 'ready') timers.push(setTimeout(resolve, capabilities.options ? OPTIONS_MS : 0));
  });
  resident.onProcessEnd(resolve);
  agent.startAhead(session);
  await promise;
  for (const timer of timers) clearTimeout(timer);
}
