import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import type { MediaView } from '@plugboard/client';
import type { End, Event } from '@plugboard/protocol';
import { changeSession, type FakeState, log } from './fake-state.ts';

/** What a test lets the agent do with a message; without one it says the message back, word by word. */
type Script = (turn: FakeTurn, text: string) => Promise<void> | void;

export interface FakeTurn {
  readonly id: string;
  readonly sessionId: string;
  readonly signal: AbortSignal;
  emit(event: Event): void;
  end(fields?: Partial<End>): void;
}

interface Taken {
  readonly number: number;
  readonly ahead: number;
  readonly steered: boolean;
}

/** Runs turns one after the other for each session, as a gateway does. */
export interface FakeAgents {
  script: Script;
  take(sessionId: string, message: { id: string; text: string; attachments: MediaView[] }): Taken;
  stop(sessionId: string): { stopped: boolean; dropped: number };
}

type Message = Parameters<FakeAgents['take']>[1];

export function createAgents(state: FakeState): FakeAgents {
  const running = new Map<string, AbortController>();
  const lines = new Map<string, Message[]>();
  const agents: FakeAgents = { script: sayBack, take, stop };

  function take(sessionId: string, message: Message): Taken {
    const session = state.sessions.get(sessionId);
    const steered = session?.steerable === true;
    const turnId = steered ? session.turnId : null;
    const attachments = message.attachments.map(({ kind, url, name }) => ({ kind, url, name }));
    const { number } = log(
      state,
      sessionId,
      { type: 'user', messageId: `own-${message.id}`, text: message.text, sender: 'you', attachments },
      turnId,
    );
    if (steered) {
      log(state, sessionId, { type: 'steered', inputs: [`own-${message.id}`] }, turnId);
      return { number, ahead: 0, steered: true };
    }
    const line = lines.get(sessionId) ?? [];
    lines.set(sessionId, [...line, message]);
    changeSession(state, sessionId, { waiting: running.has(sessionId) ? line.length + 1 : 0 });
    if (!running.has(sessionId)) run(sessionId);
    return { number, ahead: line.length, steered: false };
  }

  async function run(sessionId: string): Promise<void> {
    const [message, ...rest] = lines.get(sessionId) ?? [];
    lines.set(sessionId, rest);
    if (message === undefined) return;
    const stopping = new AbortController();
    running.set(sessionId, stopping);
    const turn = createTurn(state, sessionId, stopping.signal);
    changeSession(state, sessionId, { state: 'running', turnId: turn.id, waiting: rest.length });
    turn.emit({ type: 'accepted', inputs: [`own-${message.id}`] });
    await agents.script(turn, message.text);
    turn.end();
    running.delete(sessionId);
    if ((lines.get(sessionId) ?? []).length > 0) return run(sessionId);
    changeSession(state, sessionId, { state: 'idle', turnId: null, steerable: false, waiting: 0 });
  }

  function stop(sessionId: string): { stopped: boolean; dropped: number } {
    const waiting = lines.get(sessionId) ?? [];
    const dropped = waiting.length;
    const messageIds = waiting.map(({ id }) => `own-${id}`);
    if (dropped > 0) log(state, sessionId, { type: 'dropped', messageIds });
    lines.set(sessionId, []);
    if (dropped > 0) changeSession(state, sessionId, { waiting: 0 });
    const stopping = running.get(sessionId);
    stopping?.abort();
    return { stopped: stopping !== undefined, dropped };
  }

  return agents;
}

function createTurn(state: FakeState, sessionId: string, signal: AbortSignal): FakeTurn {
  const id = randomUUID();
  const startedAt = Date.now();
  const agent = state.sessions.get(sessionId)?.agent ?? '';
  const view = { id, sessionId, agent, messageId: null, startedAt, endedAt: null, end: null, recorded: true };
  state.turns.set(id, { ...view, state: 'running' });
  let ended = false;
  return {
    id,
    sessionId,
    signal,
    emit(event) {
      if (!ended) log(state, sessionId, event, id);
    },
    end(fields = {}) {
      if (ended) return;
      const outcome = signal.aborted ? 'cancelled' : 'success';
      const end: End = { type: 'end', outcome, text: '', durationMs: Date.now() - startedAt, ...fields };
      const { at } = log(state, sessionId, end, id, startedAt);
      state.turns.set(id, { ...view, state: end.outcome, endedAt: at, end });
      ended = true;
    },
  };
}

const sayBack: Script = async (turn, text) => {
  let said = '';
  for (const word of text.split(/(?<=\s)/)) {
    if (turn.signal.aborted) break;
    turn.emit({ type: 'delta', kind: 'output', text: word });
    said += word;
    await wait(5);
  }
  if (said !== '') turn.emit({ type: 'message', text: said, media: [], streamed: true });
};

/** Waits until the turn is stopped. */
export function untilStopped({ signal }: FakeTurn): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
