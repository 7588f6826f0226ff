import { eventsOf, type HostEffect } from '../../contract/host-side.ts';
import type { RpcError } from '../../framing/json-rpc.ts';
import { listOf, objectOf, stringOf } from '../../framing/narrow.ts';
import type { JsonObject, JsonValue } from '../../model/json.ts';
import {
  type AgentCommand,
  type AgentOption,
  type OptionChoice,
  type OptionValue,
  optionProblem,
} from '../../model/option.ts';
import { logEvent, tell } from '../../rpc-host/state.ts';
import {
  type AcpHostState,
  type AcpInput,
  type Call,
  type Conversation,
  callAgent,
  type Offer,
} from './host-state.ts';
import { AGENT_METHODS } from './wire.ts';

/** Reads what an answer that opens a session offers. */
export function readOffer({ offer }: Conversation, result: JsonObject): void {
  const { modes, models, configOptions } = result;
  offer.modes = readLegacy(objectOf(modes), 'currentModeId', 'availableModes', 'id') ?? offer.modes;
  offer.models = readLegacy(objectOf(models), 'currentModelId', 'availableModels', 'modelId') ?? offer.models;
  if (Array.isArray(configOptions)) offer.config = readConfig(configOptions);
}

/** Modes and models in the form that config options replace. */
function readLegacy(given: JsonObject, current: string, available: string, idField: string): Offer['modes'] {
  const value = given[current];
  const choices = listOf(given[available]).flatMap((item) => readChoice(item, idField));
  return typeof value === 'string' && choices.length > 0 ? { value, choices } : undefined;
}

function readChoice(item: JsonValue, idField: string, group?: string): OptionChoice[] {
  const { [idField]: value, name, description } = objectOf(item);
  if (typeof value !== 'string') return [];
  return [
    {
      value,
      name: stringOf(name) ?? value,
      ...(typeof description === 'string' && description !== '' ? { description } : {}),
      ...(group === undefined ? {} : { group }),
    },
  ];
}

function readConfig(value: JsonValue | undefined): AgentOption[] {
  return listOf(value).flatMap((item): AgentOption[] => {
    const { id, name, description, category, type, currentValue, options } = objectOf(item);
    if (typeof id !== 'string') return [];
    const about = {
      id,
      name: stringOf(name) ?? id,
      ...(typeof description === 'string' && description !== '' ? { description } : {}),
      ...(typeof category === 'string' && category !== '' ? { category: readCategory(category) } : {}),
    };
    if (type === 'boolean')
      return typeof currentValue === 'boolean' ? [{ ...about, value: currentValue }] : [];
    if (typeof currentValue !== 'string') return [];
    return [{ ...about, value: currentValue, choices: listOf(options).flatMap(readChoices) }];
  });
}

/** A choice, or a group of choices. */
function readChoices(item: JsonValue): OptionChoice[] {
  const { group, name, options } = objectOf(item);
  if (!Array.isArray(options)) return readChoice(item, 'value');
  const heading = stringOf(name) ?? stringOf(group);
  return listOf(options).flatMap((choice) => readChoice(choice, 'value', heading));
}

function readCategory(category: string): string {
  return category === 'thought_level' ? 'effort' : category;
}

/** The options of a session. Modes and models in the older form count where no config option stands for them. */
export function listOptions({ config = [], modes, models }: Offer): AgentOption[] {
  const has = (name: string): boolean => config.some(({ id, category }) => id === name || category === name);
  const older: AgentOption[] = [];
  if (modes !== undefined && !has('mode'))
    older.push({ id: 'mode', name: 'Mode', category: 'mode', ...modes });
  if (models !== undefined && !has('model'))
    older.push({ id: 'model', name: 'Model', category: 'model', ...models });
  return [...older, ...config];
}

/** An update about what the agent offers. */
export function readOptionUpdate(
  state: AcpHostState,
  conversation: Conversation,
  update: JsonObject,
  out: HostEffect[],
): void {
  const { offer } = conversation;
  switch (update.sessionUpdate) {
    case 'available_commands_update':
      offer.commands = listOf(update.availableCommands).flatMap(readCommand);
      break;
    case 'config_option_update':
      offer.config = readConfig(update.configOptions);
      break;
    case 'current_mode_update': {
      const mode = stringOf(update.currentModeId) ?? stringOf(update.modeId);
      if (mode !== undefined) setLocally(offer, 'mode', mode);
      break;
    }
    default:
  }
  tellOffer(state, conversation, out);
}

function readCommand(value: JsonValue): AgentCommand[] {
  const { name, description, input } = objectOf(value);
  if (typeof name !== 'string' || name === '') return [];
  const { hint } = objectOf(input);
  return [
    {
      name,
      description: stringOf(description) ?? '',
      ...(typeof hint === 'string' && hint !== '' ? { hint } : {}),
    },
  ];
}

function setLocally(offer: Offer, id: string, value: OptionValue): void {
  const isConfig = offer.config?.some((option) => option.id === id || option.category === id) === true;
  if (isConfig)
    offer.config = offer.config?.map((option) =>
      option.id === id || option.category === id ? { ...option, value } : option,
    );
  if (typeof value !== 'string') return;
  if (id === 'mode' && offer.modes !== undefined) offer.modes.value = value;
  if (id === 'model' && offer.models !== undefined) offer.models.value = value;
}

/**
 * Tells the offer, where it has changed since it was last told. A turn that is about to begin is told of it when it
 * begins, also when listeners outside of turns have heard of it.
 */
export function tellOffer(state: AcpHostState, conversation: Conversation, out: HostEffect[]): void {
  const { offer, turn, queue } = conversation;
  const options = listOptions(offer);
  const { commands } = offer;
  if (options.length === 0 && commands === undefined) return;
  const json = JSON.stringify([options, commands]);
  const isLatest = json === (offer.toldOutside ?? offer.told);
  const event = { type: 'options' as const, options, ...(commands === undefined ? {} : { commands }) };
  if (turn !== undefined) {
    if (isLatest && json === offer.told) return;
    offer.told = json;
    offer.toldOutside = undefined;
    return tell(conversation, event, out);
  }
  // With several sessions in the process, nobody could tell whose offer it is.
  if (isLatest || queue.length > 0 || state.settings.share) return;
  offer.toldOutside = json;
  eventsOf(out, undefined).push(event);
}

/**
 * Sets the next value that the profile or a person has chosen, where the session has another. The turn waits for the answer
 * to each request, because a model can bring other options. Returns whether all are set.
 */
export function prepareOptions(
  state: AcpHostState,
  conversation: Conversation,
  input: AcpInput,
  out: HostEffect[],
): boolean {
  if (isSettingFor(state, input)) return false;
  input.chosen ??= chosenFor(state, input);
  for (let next = input.chosen.shift(); next !== undefined; next = input.chosen.shift())
    if (setOption(state, conversation, input, next, out)) return false;
  return true;
}

/** Whether a value for this input was not answered. Values for an input that was taken back are not waited for. */
function isSettingFor({ calls }: AcpHostState, { turn }: AcpInput): boolean {
  for (const call of calls.values()) if (call.type === 'option' && call.inputId === turn.id) return true;
  return false;
}

/** The model comes first, because the values of other options can depend on it. */
function chosenFor({ settings }: AcpHostState, { turn }: AcpInput): [string, OptionValue][] {
  const chosen = Object.entries({ ...settings.options, ...turn.session.options });
  return chosen.sort(([one], [other]) => Number(other === 'model') - Number(one === 'model'));
}

function setOption(
  state: AcpHostState,
  conversation: Conversation,
  input: AcpInput,
  [name, value]: [string, OptionValue],
  out: HostEffect[],
): boolean {
  const { offer, notes, sessionId = '' } = conversation;
  const offered = listOptions(offer);
  const option = offered.find(({ id }) => id === name) ?? offered.find(({ category }) => category === name);
  const id = option?.id ?? name;
  if (option?.value === value || offer.refused.get(id) === value) return false;
  const problem = optionProblem(offered, id, value);
  if (problem !== undefined) {
    offer.refused.set(id, value);
    notes.push(logEvent('warning', problem));
    return false;
  }
  const isConfig = offer.config?.some((one) => one.id === id) === true;
  const call: Call = { type: 'option', key: conversation.key, inputId: input.turn.id, id, value };
  const { setConfigOption, setMode, setModel } = AGENT_METHODS;
  if (isConfig) {
    const typed = typeof value === 'boolean' ? { type: 'boolean' } : {};
    callAgent(state, call, setConfigOption, { sessionId, configId: id, ...typed, value }, out);
  } else if (id === 'mode') callAgent(state, call, setMode, { sessionId, modeId: value }, out);
  else callAgent(state, call, setModel, { sessionId, modelId: value }, out);
  return true;
}

/** Reads the answer to a request that sets an option. A refused value is not tried again. */
export function noteOption(
  state: AcpHostState,
  conversation: Conversation,
  { id, value }: Call & { type: 'option' },
  answer: JsonValue,
  error: RpcError | undefined,
  out: HostEffect[],
): void {
  const { offer, notes } = conversation;
  if (error !== undefined) {
    offer.refused.set(id, value);
    notes.push(logEvent('warning', `The agent has refused the ${id} ${value}: ${error.message}`));
    return;
  }
  offer.refused.delete(id);
  const { configOptions } = objectOf(answer);
  if (Array.isArray(configOptions)) offer.config = readConfig(configOptions);
  else setLocally(offer, id, value);
  tellOffer(state, conversation, out);
}
