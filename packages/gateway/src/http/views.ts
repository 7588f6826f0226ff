import { dialects, type End } from '@plugboard/protocol';
import type {
  Delivery,
  Media,
  NodeRecord,
  Session,
  StoredAsk,
  StoredEvent,
  StoredTurn,
  Token,
} from '@plugboard/store';
import type { AgentConfig } from '../config/config.ts';
import { bodyOf } from '../delivery/body.ts';
import type { Gateway } from '../gateway.ts';
import { mediaUrl } from '../media/media-store.ts';
import { kindOf } from '../media/type.ts';
import { stateOf } from '../sessions/engine.ts';
import { isSteerable } from '../sessions/running.ts';
import type { Principal } from './auth.ts';
import { mayInspect, mayUseAgent } from './authorize.ts';
import type {
  AgentView,
  AskView,
  DeliveryView,
  EventView,
  MediaView,
  NodeView,
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

export function viewNode({ store }: Gateway, { isDraining, url, ...node }: NodeRecord): NodeView {
  return { ...node, url: url ?? null, draining: isDraining, self: node.name === store.nodes?.name };
}

/** Agents that the token may use. */
export function viewAgents(gateway: Gateway, principal: Principal): AgentView[] {
  const { agents } = gateway;
  const configs = agents.names.flatMap((name) => agents.get(name) ?? []);
  return configs.filter(({ name }) => mayUseAgent(principal, name)).map((agent) => viewAgent(gateway, agent));
}

export function viewSession({ engine }: Gateway, session: Session): SessionView {
  const { agentSession: _id, running: _running, chosen: _chosen, node: _node, cost, ...shown } = session;
  const running = engine.running.get(session.id);
  const state = stateOf(engine, session);
  return {
    ...shown,
    cost: cost ?? null,
    state,
    position: state === 'queued' ? (engine.line.position(session.id) ?? null) : null,
    steerable: running !== undefined && isSteerable(running),
    turnId: running?.claim.turn.id ?? null,
  };
}

/** An event without `path` fields, and without stderr unless `inspects`. */
export function viewEvent(stored: StoredEvent, inspects: boolean): EventView {
  const { number, turnId, at, startedAt, event } = stored;
  const shown = inspects ? event : withoutStderr(event);
  const began = startedAt === undefined ? {} : { startedAt };
  return { number, turnId: turnId ?? null, at, ...began, event: withoutPaths(shown) };
}

/**
 * Stderr may contain paths and sources. A `log` event is emptied instead of removed, since event numbers have no gaps.
 */
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

export function viewAsk({ endedAt, question, answer, ...shown }: StoredAsk): AskView {
  return {
    ...shown,
    question: { ...question },
    endedAt: endedAt ?? null,
    answer: answer === undefined ? null : { ...answer },
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
