import type { AgentStream, Ask, OpenAgent, StreamEffect, Turn } from '@plugboard/host';
import type { AgentConfig } from '../config/config.ts';
import type { TurnRecorder } from '../record/turn-recorder.ts';

/** An open agent, as turns use it. */
export interface TurnAgent extends Pick<OpenAgent, 'name' | 'dialect' | 'mediaAccess'> {
  readonly config: AgentConfig;
  readonly recorder: TurnRecorder | undefined;
  /** Whether a message may be sent while a turn runs. Never for a shared agent: the turn may be of another session. */
  readonly takesSteering: boolean;
  /** Hands a message to the agent. Its effects go to the listener of the agents. */
  send(turn: Turn, ask: Ask | undefined): void;
  interrupt(turnId: string, cause: 'cancel' | 'timeout'): void;
}

/** An agent that a turn uses. */
export interface Taken {
  readonly agent: TurnAgent;
  release(): void;
}

/** Follows what an agent does until the stream ends. `sessionOf` gives the session of the last message. */
export type AgentListener = (
  agent: TurnAgent,
  effects: AsyncIterableIterator<readonly StreamEffect[]>,
  sessionOf: () => string,
) => void;

/** Wraps an agent with a process for each turn. Each turn has a stream of its own, so that turns run side by side. */
export function createOneShotAgent(
  agent: OpenAgent,
  config: AgentConfig,
  recorder: TurnRecorder | undefined,
  listener: AgentListener,
): TurnAgent {
  const running = new Map<string, AbortController>();
  const wrapped: TurnAgent = {
    ...describe(agent, config, recorder),
    takesSteering: false,
    send(turn, ask) {
      const abort = new AbortController();
      running.set(turn.id, abort);
      const run = agent.run(turn, abort.signal, ask);
      const ended = (): void => void running.delete(turn.id);
      listener(wrapped, effectsOfRun(turn.id, run.batches(), ended), () => turn.session.key);
    },
    interrupt(turnId, cause) {
      const reason = cause === 'timeout' ? new DOMException(cause, 'TimeoutError') : undefined;
      running.get(turnId)?.abort(reason);
    },
  };
  return wrapped;
}

async function* effectsOfRun(
  id: string,
  batches: ReturnType<ReturnType<OpenAgent['run']>['batches']>,
  onEnd: () => void,
): AsyncGenerator<readonly StreamEffect[]> {
  yield [{ type: 'input', inputId: id, state: 'taken', turnId: id }];
  for await (const batch of batches) yield [{ type: 'events', turnId: id, events: [...batch] }];
  onEnd();
}

/** Wraps a resident agent. */
export function createResidentAgent(
  stream: AgentStream,
  config: AgentConfig,
  recorder: TurnRecorder | undefined,
): TurnAgent {
  return {
    ...describe(stream, config, recorder),
    takesSteering: stream.capabilities.steering && !config.share,
    send: stream.send,
    interrupt: stream.interrupt,
  };
}

function describe(
  { name, dialect, mediaAccess }: Pick<OpenAgent, 'name' | 'dialect' | 'mediaAccess'>,
  config: AgentConfig,
  recorder: TurnRecorder | undefined,
): Pick<TurnAgent, 'name' | 'dialect' | 'mediaAccess' | 'config' | 'recorder'> {
  return { name, dialect, mediaAccess, config, recorder };
}
