import { randomUUID } from 'node:crypto';
import type {
  AgentView,
  ChannelView,
  DeliveryView,
  EventView,
  MediaView,
  OptionsView,
  PersonView,
  SessionView,
  TurnRecord,
  TurnView,
} from '@plugboard/client';

/** What a gateway remembers, in memory: it outlives the server in front of it, as a database would. */
export interface FakeState {
  agents: AgentView[];
  readonly sessions: Map<string, SessionView>;
  readonly events: Map<string, EventView[]>;
  readonly turns: Map<string, TurnView>;
  readonly records: Map<string, TurnRecord>;
  readonly media: Map<string, { view: MediaView; bytes: Buffer }>;
  readonly heard: Set<string>;
  /** What agents offer, by session. */
  readonly offers: Map<string, OptionsView>;
  readonly codes: Set<string>;
  readonly cookies: Set<string>;
  /** Told after every change: the streams of the server that is up. */
  readonly watchers: Set<(change: Change) => void>;
  /** What every login may do. */
  scopes: string[];
  channels: ChannelView[];
  people: PersonView[];
  deliveries: DeliveryView[];
  now: number;
}

export type Change =
  | { readonly kind: 'event'; readonly sessionId: string; readonly view: EventView }
  | { readonly kind: 'session'; readonly session: SessionView }
  | { readonly kind: 'agents'; readonly agents: readonly AgentView[] };

export function createState(): FakeState {
  const capabilities = {
    attachments: 'path',
    media: true,
    steering: false,
    resident: false,
    session: 'both',
  } as const;
  return {
    agents: [
      { name: 'echo', dialect: 'agentproc', description: 'Says it back.', default: false, capabilities },
      {
        name: 'atlas',
        dialect: 'nuum',
        description: 'Plans, looks things up and remembers.',
        default: true,
        capabilities: { ...capabilities, steering: true, resident: true },
      },
      {
        name: 'plain',
        dialect: 'terminal',
        description: 'Text only.',
        default: false,
        capabilities: { ...capabilities, attachments: 'none', media: false, session: 'none' },
      },
    ],
    sessions: new Map(),
    events: new Map(),
    turns: new Map(),
    records: new Map(),
    media: new Map(),
    heard: new Set(),
    offers: new Map(),
    codes: new Set(),
    cookies: new Set(),
    watchers: new Set(),
    scopes: ['chat', 'inspect'],
    channels: [],
    people: [],
    deliveries: [],
    now: Date.now(),
  };
}

/** Takes other agents, as after a reload of the configuration. */
export function changeAgents(state: FakeState, agents: AgentView[]): void {
  state.agents = agents;
  for (const watcher of [...state.watchers]) watcher({ kind: 'agents', agents });
}

export function addSession(state: FakeState, fields: Partial<SessionView> = {}): SessionView {
  const session: SessionView = {
    id: randomUUID(),
    channel: 'web',
    place: randomUUID(),
    agent: 'atlas',
    title: '',
    createdAt: Date.now(),
    updatedAt: Date.now(),
    lastEvent: 0,
    waiting: 0,
    closed: false,
    cost: null,
    state: 'idle',
    position: null,
    steerable: false,
    turnId: null,
    ...fields,
  };
  state.events.set(session.id, []);
  return putSession(state, session);
}

function putSession(state: FakeState, session: SessionView): SessionView {
  state.sessions.set(session.id, session);
  for (const watcher of [...state.watchers]) watcher({ kind: 'session', session });
  return session;
}

export function changeSession(state: FakeState, id: string, fields: Partial<SessionView>): SessionView {
  const before = state.sessions.get(id);
  if (before === undefined) throw new Error(`no session ${id}`);
  return putSession(state, { ...before, ...fields });
}

/** Adds to the log of a session; `quiet` events of a large log need not be told one by one. */
export function log(
  state: FakeState,
  sessionId: string,
  event: EventView['event'],
  turnId: string | null = null,
  startedAt?: number,
): EventView {
  const list = state.events.get(sessionId) ?? [];
  const view: EventView = {
    number: list.length + 1,
    turnId,
    at: Date.now(),
    ...(startedAt !== undefined && { startedAt }),
    event,
  };
  list.push(view);
  state.events.set(sessionId, list);
  const session = state.sessions.get(sessionId);
  if (session !== undefined)
    state.sessions.set(sessionId, { ...session, lastEvent: view.number, updatedAt: view.at });
  for (const watcher of [...state.watchers]) watcher({ kind: 'event', sessionId, view });
  return view;
}
