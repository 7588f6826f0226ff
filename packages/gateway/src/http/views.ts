import { dialects, type End } from '@plugboard/protocol';
import type { Delivery, Media, Session, StoredEvent, StoredTurn, Token } from '@plugboard/store';
import type { AgentConfig } from '../config/config.ts';
import { bodyOf } from '../delivery/body.ts';
import type { Gateway } from '../gateway.ts';
import { mediaUrl } from '../media/shelf.ts';
import { kindOf } from '../media/type.ts';
import { stateOf } from '../sessions/engine.ts';
import { isSteerable } from '../sessions/running.ts';
import { mayInspect, mayUse, type Principal } from './auth.ts';
import type {
  AgentView,
  DeliveryView,
  EventView,
  MediaView,
  SessionView,
  TokenView,
  TurnView,
} from './shapes.ts';

function viewAgent({ agents }: Gateway, { name, profile, description }: AgentConfig): AgentView {
  const { attachments, media, steering, resident, session } = dialects[profile.dialect].capabilities;
  return {
    name,
    dialect: profile.dialect,
    description: description ?? '',
    default: name === agents.defaultName,
    capabilities: { attachments, media, steering, resident, session },
  };
}

/** The agents that a token may use. */
export function viewAgents(gateway: Gateway, principal: Principal): AgentView[] {
  const { agents } = gateway;
  const configs = agents.names.flatMap((name) => agents.get(name) ?? []);
  return configs.filter(({ name }) => mayUse(principal, name)).map((agent) => viewAgent(gateway, agent));
}

export function viewSession({ engine }: Gateway, session: Session): SessionView {
  const { agentSession: _id, running: _running, ...shown } = session;
  const running = engine.running.get(session.id);
  const state = stateOf(engine, session);
  return {
    ...shown,
    state,
    position: state === 'queued' ? (engine.line.position(session.id) ?? null) : null,
    steerable: running !== undefined && isSteerable(running),
    turnId: running?.claim.turn.id ?? null,
  };
}

/** An event without paths of this machine, and without what is for operators where the reader is none. */
export function viewEvent(stored: StoredEvent, inspects: boolean): EventView {
  const { number, turnId, at, startedAt, event } = stored;
  const shown = inspects ? event : withoutStderr(event);
  const began = startedAt === undefined ? {} : { startedAt };
  return { number, turnId: turnId ?? null, at, ...began, event: withoutPaths(shown) };
}

/** Stderr is for operators: a traceback has paths and sources in it. A `log` event stays, since numbers have no gaps. */
function withoutStderr(event: StoredEvent['event']): StoredEvent['event'] {
  if (event.type === 'log') return { ...event, text: '' };
  return event.type === 'end' ? withoutDetail(event) : event;
}

function withoutDetail(end: End): End {
  if (end.error?.detail === undefined) return end;
  const { detail: _detail, ...error } = end.error;
  return { ...end, error };
}

function withoutPaths(event: StoredEvent['event']): EventView['event'] {
  if (event.type !== 'user' || event.attachments.length === 0) return event as unknown as EventView['event'];
  const attachments = event.attachments.map(({ path: _path, ...shown }) => shown);
  return { ...event, attachments };
}

export function viewTurn({ recordings }: Gateway, turn: StoredTurn, principal: Principal): TurnView {
  const end = turn.end === undefined || mayInspect(principal) ? turn.end : withoutDetail(turn.end);
  return {
    ...turn,
    messageId: turn.messageId ?? null,
    endedAt: turn.endedAt ?? null,
    end: (end as TurnView['end'] | undefined) ?? null,
    recorded: recordings.has(turn.id),
  };
}

export function viewMedia({ id, name, type, size }: Media): MediaView {
  return { id, name, type, kind: kindOf(type), size, url: mediaUrl(id) };
}

export function viewDelivery(delivery: Delivery): DeliveryView {
  const { body: _body, nextAt, ...shown } = delivery;
  const { kind, text, media } = bodyOf(delivery);
  return {
    ...shown,
    kind,
    text,
    files: media.map(({ name, url }) => name ?? url ?? 'file'),
    turnId: delivery.turnId ?? null,
    dueAt: nextAt,
    platformId: delivery.platformId ?? null,
    problem: delivery.problem ?? null,
    settled: delivery.settled ?? null,
  };
}

export function viewToken({ expiresAt, lastUsedAt, ...token }: Token): TokenView {
  return {
    ...token,
    scopes: [...token.scopes],
    expiresAt: expiresAt ?? null,
    lastUsedAt: lastUsedAt ?? null,
  };
}
