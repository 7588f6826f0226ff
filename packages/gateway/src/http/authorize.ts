import type { Principal } from './auth.ts';

/**
 * - `chat`: write to agents and read sessions.
 * - `inspect`: read raw frames of turns.
 * - `operate`: let people into channels, and settle deliveries.
 * - `admin`: all operations of the gateway.
 * - `metrics`: read `/metrics`.
 * - `agent:NAME`: limits the token to the agents so named.
 */
export const SCOPES = ['chat', 'inspect', 'operate', 'admin', 'metrics'] as const;

type Scope = (typeof SCOPES)[number];

interface Rule {
  /** Scope that the token needs; `admin` includes all scopes. `public` needs no token. */
  readonly scope: 'public' | Scope;
  /**
   * Which resources of the kind a token may see:
   * - `all`: each of them.
   * - `agents`: those of which all agents are allowed by the `agent:NAME` scopes of the token, if it has any.
   * - `own`: as `agents`, and only those that were made with this token.
   */
  readonly sees: 'all' | 'agents' | 'own';
  /** Whether a token with `agent:NAME` is refused, because the operation is about all agents. */
  readonly wholeGateway?: true;
}

/** The access rules of the HTTP API. Each route names a kind in `Route.resource`. */
export const RULES = {
  public: { scope: 'public', sees: 'all' },
  account: { scope: 'chat', sees: 'all' },
  agent: { scope: 'chat', sees: 'agents' },
  session: { scope: 'chat', sees: 'agents' },
  turn: { scope: 'chat', sees: 'agents' },
  media: { scope: 'chat', sees: 'agents' },
  ask: { scope: 'chat', sees: 'agents' },
  answer: { scope: 'chat', sees: 'agents' },
  response: { scope: 'chat', sees: 'own' },
  recording: { scope: 'inspect', sees: 'agents' },
  metrics: { scope: 'metrics', sees: 'all' },
  notice: { scope: 'admin', sees: 'agents' },
  delivery: { scope: 'operate', sees: 'agents' },
  channels: { scope: 'operate', sees: 'all' },
  people: { scope: 'operate', sees: 'all', wholeGateway: true },
  tokens: { scope: 'admin', sees: 'all', wholeGateway: true },
  nodes: { scope: 'operate', sees: 'all', wholeGateway: true },
  backup: { scope: 'admin', sees: 'all', wholeGateway: true },
} as const satisfies Readonly<Record<string, Rule>>;

export type ResourceKind = keyof typeof RULES;

/** A resource as the rules see it. Without `facts`, only the scope is decided: it has not been looked up yet. */
export interface Resource {
  readonly kind: ResourceKind;
  readonly facts?: Facts;
}

/** Properties of a resource that decide who may see it. */
export interface Facts {
  /** Agents that it tells about: of a session, all that have ever had a turn in it. */
  readonly agents: readonly string[];
  /** Id of the token that it was made with. */
  readonly owner?: string | undefined;
  /** Names of the only tokens that may answer an ask; all when absent. */
  readonly approvers?: readonly string[] | undefined;
}

/** `hidden`: answered as if the resource did not exist. `forbidden`: answered with 403 and `message`. */
export type Refusal = { readonly code: 'hidden' } | { readonly code: 'forbidden'; readonly message: string };

/** Decides what a token may do; undefined when it may. All checks of scopes and ownership are here. */
export function authorize(principal: Principal, { kind, facts }: Resource): Refusal | undefined {
  const rule: Rule = RULES[kind];
  if (rule.scope === 'public') return undefined;
  if (!hasScope(principal, rule.scope)) return forbid(`This token lacks the scope "${rule.scope}".`);
  if (rule.wholeGateway && isLimitedToAgents(principal))
    return forbid('This token is limited to some agents, and this concerns all of them.');
  if (facts === undefined) return undefined;
  if (!isVisible(principal, rule, facts)) return { code: 'hidden' };
  const { approvers } = facts;
  if (approvers !== undefined && !approvers.includes(principal.name))
    return forbid(`Only these may answer for this agent: ${approvers.join(', ')}.`);
  return undefined;
}

function forbid(message: string): Refusal {
  return { code: 'forbidden', message };
}

function isVisible(principal: Principal, { sees }: Rule, { agents, owner }: Facts): boolean {
  if (sees === 'all') return true;
  if (sees === 'own' && owner !== principal.id) return false;
  return agents.every((agent) => mayUseAgent(principal, agent));
}

function hasScope({ scopes }: Principal, scope: Scope): boolean {
  return scopes.includes(scope) || scopes.includes('admin');
}

/** Whether the token is limited to some agents by `agent:NAME`. */
export function isLimitedToAgents({ scopes }: Principal): boolean {
  return scopes.some((scope) => scope.startsWith('agent:'));
}

/** Whether the token may use `agent`, apart from its scopes. A token without `agent:NAME` may use all agents. */
export function mayUseAgent(principal: Principal, agent: string): boolean {
  return !isLimitedToAgents(principal) || principal.scopes.includes(`agent:${agent}`);
}

/** Whether the token may read output of agents beside their answers. */
export function mayInspect(principal: Principal): boolean {
  return authorize(principal, { kind: 'recording' }) === undefined;
}
