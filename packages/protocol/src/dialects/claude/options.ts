import type { HostEffect } from '../../contract/host-side.ts';
import { isObject } from '../../framing/json.ts';
import { listOf, objectOf, stringOf } from '../../framing/narrow.ts';
import type { JsonObject, JsonValue } from '../../model/json.ts';
import type { AgentCommand, AgentOption, OptionChoice } from '../../model/option.ts';
import type { Turn } from '../../model/turn.ts';
import { type Call, type ClaudeHostState, callClaude, currentTurn, tell } from './state.ts';

const MODE_NAMES: Readonly<Record<string, string>> = {
  default: 'Ask before edits and commands',
  acceptEdits: 'Accept edits',
  plan: 'Plan only',
  auto: 'Automatic checks',
  dontAsk: 'Never ask: refuse instead',
  bypassPermissions: 'Allow everything',
};

/** Asks what the program offers. The answer comes before the first turn. */
export function initialize(state: ClaudeHostState, out: HostEffect[]): void {
  callClaude(state, { type: 'initialize' }, { subtype: 'initialize' }, out);
}

/** Reads the answer to `initialize`. */
export function noteOffer(state: ClaudeHostState, answer: JsonObject, out: HostEffect[]): void {
  const { options } = state;
  options.models = listOf(answer.models).flatMap(readModel);
  options.commands = listOf(answer.commands).flatMap(readCommand);
  options.mode = stringOf(answer.current_permission_mode) ?? options.mode;
  if (options.model === undefined && options.models.some(({ value }) => value === 'default'))
    options.model = 'default';
  tellOptions(state, out);
}

function readModel(value: JsonValue): OptionChoice[] {
  const { value: id, displayName, description } = objectOf(value);
  if (typeof id !== 'string') return [];
  const name = stringOf(displayName) ?? id;
  return [{ value: id, name, ...(typeof description === 'string' ? { description } : {}) }];
}

function readCommand(value: JsonValue): AgentCommand[] {
  const { name, description, argumentHint: hint } = objectOf(value);
  if (typeof name !== 'string') return [];
  return [
    {
      name,
      description: stringOf(description) ?? '',
      ...(typeof hint === 'string' && hint !== '' ? { hint } : {}),
    },
  ];
}

/** Notes the mode that a line names; a change is told as a new snapshot. */
export function noteMode(state: ClaudeHostState, mode: JsonValue | undefined, out: HostEffect[]): void {
  if (typeof mode !== 'string' || mode === state.options.mode) return;
  state.options.mode = mode;
  if (state.options.told || state.turn === undefined) tellOptions(state, out);
}

/**
 * Tells the offer to the turn that runs. A turn that is about to begin is told at its `init`, also when listeners outside
 * of turns have heard of the offer.
 */
export function tellOptions(state: ClaudeHostState, out: HostEffect[]): void {
  const { options, turn } = state;
  const offered = listOptions(state);
  if (offered.length === 0 && options.commands === undefined) return;
  options.told = turn !== undefined;
  if (turn === undefined && currentTurn(state) !== undefined) return;
  const commands = options.commands === undefined ? {} : { commands: options.commands };
  tell(state, { type: 'options', options: offered, ...commands }, out);
}

function listOptions({ options: { modes, mode, models, model } }: ClaudeHostState): AgentOption[] {
  const offered: AgentOption[] = [];
  if (mode !== undefined) {
    const known = modes.includes(mode) ? modes : [...modes, mode];
    const choices = known.map((value) => ({ value, name: MODE_NAMES[value] ?? value }));
    offered.push({ id: 'mode', name: 'Permission mode', category: 'mode', value: mode, choices });
  }
  if (model !== undefined && models.length > 0) {
    const isListed = models.some(({ value }) => value === model);
    const choices = isListed ? models : [...models, { value: model, name: model }];
    offered.push({ id: 'model', name: 'Model', category: 'model', value: model, choices });
  }
  return offered;
}

/** Sets the values that a person has chosen, where the process has others. Written before the line of the turn. */
export function setChosen(state: ClaudeHostState, { session }: Turn, out: HostEffect[]): void {
  const { mode, model } = session.options ?? {};
  const { options } = state;
  if (isNew(state, 'mode', mode, options.mode))
    callClaude(
      state,
      { type: 'option', id: 'mode', value: mode },
      { subtype: 'set_permission_mode', mode },
      out,
    );
  if (isNew(state, 'model', model, options.model))
    callClaude(state, { type: 'option', id: 'model', value: model }, { subtype: 'set_model', model }, out);
}

function isNew(
  { options: { refused }, calls }: ClaudeHostState,
  id: 'mode' | 'model',
  chosen: unknown,
  current: string | undefined,
): chosen is string {
  if (typeof chosen !== 'string' || chosen === '' || refused.get(id) === chosen) return false;
  let last = current;
  for (const call of calls.values()) if (call.type === 'option' && call.id === id) last = call.value;
  return chosen !== last;
}

/** Reads the answer to `set_permission_mode` or `set_model`. A refused value is not tried again in this process. */
export function noteOption(
  state: ClaudeHostState,
  { id, value }: Call & { type: 'option' },
  error: string | undefined,
  out: HostEffect[],
): void {
  const { options } = state;
  if (error !== undefined) {
    options.refused.set(id, value);
    const text = `Claude Code has refused the ${id} ${value}: ${error}`;
    tell(state, { type: 'log', level: 'warning', text, source: 'agent' }, out);
    return tellOptions(state, out);
  }
  options.refused.delete(id);
  if (options[id] === value && options.told) return;
  options[id] = value;
  tellOptions(state, out);
}

/** Gives the process the MCP servers of a turn, where they differ from those that it has. */
export function setMcpServers(state: ClaudeHostState, { extensions }: Turn, out: HostEffect[]): void {
  const given = extensions?.mcp_servers;
  if (given === undefined || given === null) return;
  const servers = readServers(given);
  const json = JSON.stringify(servers);
  if (json === (state.mcpServers ?? '{}')) return;
  state.mcpServers = json;
  callClaude(state, { type: 'mcp-servers' }, { subtype: 'mcp_set_servers', servers }, out);
}

/** Servers by name, or a list in which each has a `name`, as ACP writes them. */
function readServers(given: JsonValue): JsonObject {
  if (isObject(given)) return given;
  const servers: Record<string, JsonValue> = {};
  for (const item of listOf(given)) {
    const { name, env, headers, ...server } = objectOf(item);
    if (typeof name !== 'string') continue;
    servers[name] = {
      ...server,
      ...(env === undefined ? {} : { env: readPairs(env) }),
      ...(headers === undefined ? {} : { headers: readPairs(headers) }),
    };
  }
  return servers;
}

function readPairs(value: JsonValue): JsonValue {
  if (!Array.isArray(value)) return value;
  const pairs = listOf(value).map(objectOf);
  return Object.fromEntries(pairs.map(({ name, value: text }) => [String(name), text ?? '']));
}
