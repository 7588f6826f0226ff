import type { AgentEffect } from '../../contract/agent-side.ts';
import type { Options } from '../../model/event.ts';
import type { JsonObject } from '../../model/json.ts';
import {
  type AgentCommand,
  type AgentOption,
  type OptionChoice,
  type OptionValue,
  optionProblem,
  withChosen,
} from '../../model/option.ts';
import { type AgentSession, type ClientFeatures, update } from './agent-state.ts';

/** The options of a session with the values that the client has set. */
function optionsOf({ options, chosen }: AgentSession): readonly AgentOption[] | undefined {
  return options === undefined ? undefined : withChosen(options, chosen);
}

/** The fields that the answer to `session/new`, `session/load` and `session/resume` has for options. */
export function sessionFields(session: AgentSession, client: ClientFeatures): JsonObject {
  const options = optionsOf(session);
  if (options === undefined || options.length === 0) return {};
  const modes = modesOf(options);
  return {
    ...(modes === undefined ? {} : { modes }),
    configOptions: writeOptions(options, client),
  };
}

/** All options of a session, for the answer to `session/set_config_option`. */
export function configOptions(session: AgentSession, client: ClientFeatures): readonly JsonObject[] {
  return writeOptions(optionsOf(session) ?? [], client);
}

function writeOptions(options: readonly AgentOption[], client: ClientFeatures): readonly JsonObject[] {
  return options.map((option) => writeOption(option, client));
}

function writeOption(option: AgentOption, { booleans }: ClientFeatures): JsonObject {
  const { id, name, description, category, value, choices } = option;
  const about = {
    id,
    name,
    ...(description === undefined ? {} : { description }),
    ...(category === undefined ? {} : { category: CATEGORIES.get(category) ?? category }),
  };
  if (choices !== undefined)
    return { ...about, type: 'select', currentValue: String(value), options: writeChoices(choices) };
  if (booleans) return { ...about, type: 'boolean', currentValue: value === true };
  return { ...about, type: 'select', currentValue: String(value), options: SWITCH };
}

/** Categories with another name in ACP. */
const CATEGORIES: ReadonlyMap<string, string> = new Map([['effort', 'thought_level']]);

/** The values of a switch, for a client that knows only lists. */
const SWITCH: readonly JsonObject[] = [
  { value: 'true', name: 'On' },
  { value: 'false', name: 'Off' },
];

/** Choices are a plain list, or a list of groups: a choice without a group gets one of its own name. */
function writeChoices(choices: readonly OptionChoice[]): readonly JsonObject[] {
  if (choices.every(({ group }) => group === undefined)) return choices.map(writeChoice);
  const groups = new Map<string, JsonObject[]>();
  for (const choice of choices) {
    const group = choice.group ?? choice.name;
    groups.set(group, [...(groups.get(group) ?? []), writeChoice(choice)]);
  }
  return [...groups].map(([name, options]) => ({ group: name, name, options }));
}

function writeChoice({ value, name, description }: OptionChoice): JsonObject {
  return { value, name, ...(description === undefined ? {} : { description }) };
}

/** The option that older clients show as `modes`. */
function modeOption(options: readonly AgentOption[]): AgentOption | undefined {
  return options.find(({ id, category, choices }) => choices !== undefined && (category ?? id) === 'mode');
}

function modesOf(options: readonly AgentOption[]): JsonObject | undefined {
  const mode = modeOption(options);
  if (mode?.choices === undefined) return undefined;
  const availableModes = mode.choices.map(({ value, name, description }) => ({
    id: value,
    name,
    ...(description === undefined ? {} : { description }),
  }));
  return { currentModeId: String(mode.value), availableModes };
}

/** Sets a mode. Returns the problem of a mode that the session does not have. */
export function setMode(session: AgentSession, mode: string): string | undefined {
  const option = modeOption(session.options ?? []);
  if (option === undefined) return 'This session has no modes.';
  return setOption(session, option.id, mode);
}

/** Sets an option, which the next turn takes along. Returns the problem of a value that it cannot have. */
export function setOption(session: AgentSession, id: string, given: OptionValue): string | undefined {
  const options = session.options ?? [];
  const isSwitch = options.some((option) => option.id === id && option.choices === undefined);
  const value = isSwitch && (given === 'true' || given === 'false') ? given === 'true' : given;
  const problem = optionProblem(options, id, value);
  if (problem === undefined) session.chosen = { ...session.chosen, [id]: value };
  return problem;
}

/**
 * Tells the client what the agent offers in a session, as far as it is new. A turn takes the values of the client along:
 * what the agent tells in it replaces them, because the agent may have refused them.
 */
export function tellOptions(
  session: AgentSession,
  { options, commands }: Options,
  { client, inTurn }: { readonly client: ClientFeatures; readonly inTurn: boolean },
  out: AgentEffect[],
): void {
  if (options !== undefined && !isSame(options, optionsOf(session))) {
    const before = currentMode(session);
    session.options = options;
    if (inTurn) session.chosen = valuesOf(options, session.chosen);
    const all = configOptions(session, client);
    update(session, { sessionUpdate: 'config_option_update', configOptions: all }, out);
    tellMode(session, before, out);
  }
  if (commands === undefined || isSame(commands, session.commands)) return;
  session.commands = commands;
  tellCommands(session, out);
}

/** Agents repeat long lists with every turn. */
function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

/** The values that the options have, for the ids of `chosen`. */
function valuesOf(options: readonly AgentOption[], chosen: AgentSession['chosen']): AgentSession['chosen'] {
  const told = options.filter(({ id }) => Object.hasOwn(chosen, id));
  return Object.fromEntries(told.map(({ id, value }) => [id, value]));
}

/** Tells clients that know only modes of a mode that has changed. */
export function tellMode(session: AgentSession, before: OptionValue | undefined, out: AgentEffect[]): void {
  const now = currentMode(session);
  if (now === undefined || now === before) return;
  update(session, { sessionUpdate: 'current_mode_update', currentModeId: String(now) }, out);
}

export function currentMode(session: AgentSession): OptionValue | undefined {
  return modeOption(optionsOf(session) ?? [])?.value;
}

/** Tells the commands of a session, where the agent has told any. */
export function tellCommands(session: AgentSession, out: AgentEffect[]): void {
  if (session.commands === undefined) return;
  const availableCommands = session.commands.map(writeCommand);
  update(session, { sessionUpdate: 'available_commands_update', availableCommands }, out);
}

function writeCommand({ name, description, hint }: AgentCommand): JsonObject {
  return { name, description, ...(hint === undefined ? {} : { input: { hint } }) };
}
