import { eventsOf, type HostEffect } from '../../contract/host-side.ts';
import { isObject } from '../../framing/json.ts';
import { listOf, objectOf, stringOf } from '../../framing/narrow.ts';
import type { JsonObject, JsonValue } from '../../model/json.ts';
import { type AgentOption, type OptionChoice, type OptionValue, optionProblem } from '../../model/option.ts';
import type { Turn } from '../../model/turn.ts';
import { logEvent, tell } from '../../rpc-host/state.ts';
import type { CodexHostState, Conversation, KnownModel } from './state.ts';

const APPROVALS: readonly OptionChoice[] = [
  { value: 'untrusted', name: 'Ask before every command that is not known to be safe' },
  { value: 'on-request', name: 'Ask when the model wants to leave the sandbox' },
  { value: 'never', name: 'Never ask: refuse instead' },
];

const MODES: readonly OptionChoice[] = [
  { value: 'default', name: 'Work' },
  { value: 'plan', name: 'Plan only' },
];

const SANDBOXES: readonly (OptionChoice & { readonly type: string })[] = [
  { value: 'read-only', type: 'readOnly', name: 'Read only' },
  { value: 'workspace-write', type: 'workspaceWrite', name: 'Write in the workspace' },
  { value: 'danger-full-access', type: 'dangerFullAccess', name: 'No sandbox' },
];

/** Reads the answer to `model/list`. */
export function noteModels(state: CodexHostState, answer: JsonValue, out: HostEffect[]): void {
  state.models = listOf(objectOf(answer).data).map(objectOf).flatMap(readModel);
  for (const conversation of state.conversations.values()) tellOptions(state, conversation, out);
}

function readModel({ model, hidden, displayName, description, ...about }: JsonObject): KnownModel[] {
  if (typeof model !== 'string' || hidden === true) return [];
  return [
    {
      choice: readChoice(model, displayName, description),
      efforts: listOf(about.supportedReasoningEfforts).flatMap((value) => {
        const { reasoningEffort: effort, description: words } = objectOf(value);
        return typeof effort === 'string' ? [readChoice(effort, undefined, words)] : [];
      }),
      effort: stringOf(about.defaultReasoningEffort),
    },
  ];
}

function readChoice(value: string, name: JsonValue | undefined, description?: JsonValue): OptionChoice {
  return {
    value,
    name: stringOf(name) ?? value,
    ...(typeof description === 'string' && description !== '' ? { description } : {}),
  };
}

/** Reads the values of a thread: of an answer that opens it, or of `thread/settings/updated`. */
export function readValues({ values }: Conversation, fields: JsonObject): void {
  const { model, approvalPolicy, sandbox, sandboxPolicy, reasoningEffort, effort, collaborationMode } =
    fields;
  values.model = stringOf(model) ?? values.model;
  values.effort = stringOf(reasoningEffort) ?? stringOf(effort) ?? values.effort;
  values.approval = stringOf(approvalPolicy) ?? values.approval;
  const policy = sandbox ?? sandboxPolicy;
  if (isObject(policy)) values.sandbox = policy;
  values.mode = stringOf(objectOf(collaborationMode).mode) ?? values.mode;
}

/** The options of a thread. `danger-full-access` is offered only where the profile or `config.toml` chose it. */
function listOptions({ models, settings }: CodexHostState, { values }: Conversation): AgentOption[] {
  const { model, approval, mode } = values;
  const known = models.find(({ choice }) => choice.value === model);
  const effort = values.effort ?? known?.effort;
  const sandbox = SANDBOXES.find(({ type }) => type === values.sandbox?.type)?.value;
  const sandboxes = SANDBOXES.filter(
    ({ value }) => value !== 'danger-full-access' || value === sandbox || value === settings.sandbox,
  ).map(({ value, name }) => ({ value, name }));
  const all = models.map(({ choice }) => choice);
  return [
    ...offer('mode', 'Mode', 'mode', mode, MODES),
    ...offer('model', 'Model', 'model', model, all),
    ...offer('effort', 'Effort', 'effort', effort, known?.efforts ?? []),
    ...offer('approval_policy', 'Approvals', 'approvals', approval, APPROVALS),
    ...offer('sandbox', 'Sandbox', 'sandbox', sandbox, sandboxes),
  ];
}

/** Adds `value` to `choices` when it is missing. */
function offer(
  id: string,
  name: string,
  category: string,
  value: string | undefined,
  choices: readonly OptionChoice[],
): AgentOption[] {
  if (value === undefined) return [];
  const isListed = choices.some((choice) => choice.value === value);
  const all = isListed ? choices : [...choices, { value, name: value }];
  return [{ id, name, category, value, choices: all }];
}

/** Tells the options, where they have changed since a turn was told of them. */
export function tellOptions(state: CodexHostState, conversation: Conversation, out: HostEffect[]): void {
  const { turn, queue, stage } = conversation;
  if (stage !== 'open' || (turn === undefined && queue.length > 0)) return;
  const options = listOptions(state, conversation);
  const json = JSON.stringify(options);
  const isLatest = json === (conversation.toldOutside ?? conversation.toldOptions);
  if (options.length === 0 || (isLatest && (turn === undefined || json === conversation.toldOptions))) return;
  if (turn !== undefined) {
    conversation.toldOptions = json;
    conversation.toldOutside = undefined;
    return tell(conversation, { type: 'options', options }, out);
  }
  // With several sessions in the process, nobody could tell whose options they are.
  if (state.settings.share) return;
  conversation.toldOutside = json;
  eventsOf(out, undefined).push({ type: 'options', options });
}

/** Fields of `turn/start` for values that differ from those of the thread, which has them from then on. */
export function overridesFor(
  state: CodexHostState,
  conversation: Conversation,
  { session }: Turn,
): JsonObject {
  const { values } = conversation;
  const mode = state.settings.mode === undefined ? {} : { mode: state.settings.mode };
  const chosen = usable(state, conversation, { ...mode, ...session.options });
  const { model, effort, approval_policy: approval, sandbox } = chosen;
  if (model !== undefined) values.model = model;
  if (effort !== undefined) values.effort = effort;
  if (approval !== undefined) values.approval = approval;
  if (sandbox !== undefined) values.sandbox = policyFor(state, sandbox);
  if (chosen.mode !== undefined) values.mode = chosen.mode;
  const settings = { model: values.model ?? '', reasoning_effort: values.effort ?? null };
  return {
    ...(model === undefined ? {} : { model }),
    ...(effort === undefined ? {} : { effort }),
    ...(approval === undefined ? {} : { approvalPolicy: approval }),
    ...(sandbox === undefined ? {} : { sandboxPolicy: values.sandbox ?? {} }),
    ...(chosen.mode === undefined
      ? {}
      : {
          collaborationMode: { mode: chosen.mode, settings: { ...settings, developer_instructions: null } },
        }),
  };
}

/** The chosen values that differ from `values`. A value that `optionProblem` refuses is logged once. */
function usable(
  state: CodexHostState,
  conversation: Conversation,
  chosen: Readonly<Record<string, OptionValue>>,
): Readonly<Record<string, string | undefined>> {
  const { refused, notes } = conversation;
  const found: Record<string, string> = {};
  // The efforts depend on the model, which a turn may choose together with one of them.
  const model = typeof chosen.model === 'string' ? chosen.model : conversation.values.model;
  const offered = listOptions(state, { ...conversation, values: { ...conversation.values, model } });
  for (const [id, value] of Object.entries(chosen)) {
    const current = listOptions(state, conversation).find((option) => option.id === id)?.value;
    if (value === current || refused.get(id) === value) continue;
    const isUnlisted = id === 'model' && state.models.length === 0;
    const problem = isUnlisted ? undefined : problemOf(state, offered, id, value);
    if (problem === undefined) found[id] = String(value);
    else {
      refused.set(id, value);
      notes.push(logEvent('warning', problem));
    }
  }
  return found;
}

/** Checks a model against `model/list` alone, because `offered` contains every chosen model. */
function problemOf(
  { models }: CodexHostState,
  offered: readonly AgentOption[],
  id: string,
  value: OptionValue,
): string | undefined {
  const listed = offered.map((option) =>
    option.id === 'model' ? { ...option, choices: models.map(({ choice }) => choice) } : option,
  );
  return optionProblem(listed, id, value);
}

/** The policy of a sandbox mode that a person chooses. */
function policyFor({ settings }: CodexHostState, mode: string): JsonObject {
  if (mode === 'danger-full-access') return { type: 'dangerFullAccess' };
  if (mode === 'read-only') return { type: 'readOnly', networkAccess: false };
  return {
    type: 'workspaceWrite',
    writableRoots: settings.addDirs,
    networkAccess: settings.networkAccess === true,
    excludeTmpdirEnvVar: false,
    excludeSlashTmp: false,
  };
}
