import { commandOf, diffsOf } from '../../codex-common/items.ts';
import { listOf, objectOf, stringOf, stringsOf } from '../../framing/narrow.ts';
import type { JsonObject, JsonValue } from '../../model/json.ts';
import { baseName } from '../../model/media.ts';
import type { OptionEffect, Question, QuestionOption } from '../../model/question.ts';
import { readElicitation } from './elicitation.ts';
import { HOST_METHODS } from './wire.ts';

/** The question of a request of the program; undefined for a request that this host does not answer. */
export function readQuestion(
  method: string,
  params: JsonObject,
  item: JsonObject | undefined,
): Question | undefined {
  switch (method) {
    case HOST_METHODS.approveCommand:
      return commandQuestion(params);
    case HOST_METHODS.approveChange:
      return changeQuestion(params, item ?? {});
    case HOST_METHODS.approvePermissions:
      return permissionsQuestion(params);
    case HOST_METHODS.requestInput:
      return inputQuestion(params);
    case HOST_METHODS.elicit:
      return readElicitation(params);
    default:
      return undefined;
  }
}

const ACCEPT: QuestionOption = { id: 'accept', label: 'Allow once', effect: 'allow-once' };
const ACCEPT_ALWAYS: QuestionOption = {
  id: 'acceptForSession',
  label: 'Allow for this session',
  effect: 'allow-always',
};
const DECLINE: QuestionOption = { id: 'decline', label: 'Deny', effect: 'deny-once' };
const CANCEL: QuestionOption = { id: 'cancel', label: 'Deny, and stop the turn', effect: 'deny-once' };

function commandQuestion(params: JsonObject): Question {
  const command = commandOf(params);
  const { cwd, reason } = params;
  const { host, protocol } = objectOf(params.networkApprovalContext);
  const line = command.trim().split('\n', 1)[0] ?? '';
  const place = typeof cwd === 'string' ? `In ${cwd}.` : '';
  const title =
    typeof host === 'string' ? `May Codex connect to ${host}?` : `May Codex run this command: ${line}?`;
  const detail = [stringOf(reason), place, typeof protocol === 'string' ? `By ${protocol}.` : ''];
  return {
    kind: 'permission',
    title,
    ...detailOf(detail),
    tool: {
      name: typeof host === 'string' && command === '' ? 'network' : 'exec',
      input: { command, ...(typeof cwd === 'string' ? { cwd } : {}) },
      kind: 'execute',
      command,
    },
    options: [ACCEPT, ACCEPT_ALWAYS, ...amendments(params).map(({ option }) => option), DECLINE, CANCEL],
  };
}

function detailOf(parts: readonly (string | undefined)[]): { detail?: string } {
  const detail = parts.filter((part) => part !== undefined && part !== '').join('\n');
  return detail === '' ? {} : { detail };
}

interface Amendment {
  readonly option: QuestionOption;
  readonly decision: JsonObject;
}

/** Rules in `availableDecisions`. Codex keeps an accepted rule in `CODEX_HOME`. */
export function amendments(params: JsonObject): Amendment[] {
  const offered = listOf(params.availableDecisions).map(objectOf);
  return offered.flatMap((decision, at): Amendment[] => {
    const about = readAmendment(decision);
    if (about === undefined) return [];
    const effect: OptionEffect = about.denies ? 'deny-always' : 'allow-always';
    return [{ option: { id: `rule-${at + 1}`, label: about.label, effect }, decision }];
  });
}

function readAmendment(decision: JsonObject): { label: string; denies: boolean } | undefined {
  const { acceptWithExecpolicyAmendment: command, applyNetworkPolicyAmendment: network } = decision;
  const words = stringsOf(objectOf(command).execpolicy_amendment);
  if (words.length > 0)
    return { label: `Always allow commands that begin with ${words.join(' ')}`, denies: false };
  const { host, action } = objectOf(objectOf(network).network_policy_amendment);
  if (typeof host !== 'string') return undefined;
  const denies = action !== 'allow';
  return { label: `Always ${denies ? 'deny' : 'allow'} connections to ${host}`, denies };
}

/** The request has no changes: `item` has them, the `fileChange` of its `itemId`. */
function changeQuestion({ reason, grantRoot }: JsonObject, item: JsonObject): Question {
  const diffs = diffsOf(item.changes);
  const [first] = diffs;
  const files = diffs.length === 1 && first !== undefined ? baseName(first.path) : `${diffs.length} files`;
  const root = typeof grantRoot === 'string' ? `It asks for all of ${grantRoot}, in this session.` : '';
  return {
    kind: 'permission',
    title: `May Codex change ${diffs.length === 0 ? 'files' : files}?`,
    ...detailOf([stringOf(reason), root, diffs.map(({ path }) => path).join('\n')]),
    tool: {
      name: 'edit',
      input: { changes: item.changes ?? [] },
      kind: 'edit',
      ...(diffs.length === 0 ? {} : { diffs }),
    },
    options: [ACCEPT, ACCEPT_ALWAYS, DECLINE, CANCEL],
  };
}

/** Answers of a request for permissions are scopes. */
function permissionsQuestion({ permissions, reason, cwd }: JsonObject): Question {
  const { network, fileSystem } = objectOf(permissions);
  const { read, write, entries } = objectOf(fileSystem);
  const wishes = [
    objectOf(network).enabled === true ? 'the network' : '',
    ...stringsOf(read).map((path) => `reading ${path}`),
    ...stringsOf(write).map((path) => `writing ${path}`),
    ...listOf(entries).map((entry) => JSON.stringify(entry)),
  ].filter((wish) => wish !== '');
  return {
    kind: 'permission',
    title: 'May Codex leave its sandbox for this?',
    ...detailOf([stringOf(reason), wishes.join('\n')]),
    tool: {
      name: 'permissions',
      input: { permissions: permissions ?? {}, ...(typeof cwd === 'string' ? { cwd } : {}) },
      kind: 'other',
    },
    options: [
      { id: 'turn', label: 'Allow for this turn', effect: 'allow-once' },
      { id: 'session', label: 'Allow for this session', effect: 'allow-always' },
      DECLINE,
    ],
  };
}

/** One question of `requestUserInput`. */
interface AskedQuestion {
  readonly id: string;
  readonly text: string;
  readonly labels: readonly string[];
  readonly about: string;
}

export function readAsked({ questions }: JsonObject): AskedQuestion[] {
  return listOf(questions).flatMap((value) => {
    const { id, question, header, options } = objectOf(value);
    if (typeof id !== 'string') return [];
    const choices = listOf(options)
      .map(objectOf)
      .filter(({ label }) => typeof label === 'string');
    const about = choices.flatMap(({ label, description }) =>
      typeof description === 'string' && description !== '' ? [`${label}: ${description}`] : [],
    );
    const text = stringOf(question) ?? stringOf(header) ?? id;
    return [{ id, text, labels: choices.map(({ label }) => String(label)), about: about.join('\n') }];
  });
}

/** One question has a button for each option, or a field; several are a form with a field for each. */
function inputQuestion(params: JsonObject): Question | undefined {
  const asked = readAsked(params);
  const [first] = asked;
  if (first === undefined) return undefined;
  if (asked.length > 1) return formOf(asked);
  return {
    kind: first.labels.length === 0 ? 'text' : 'choice',
    title: first.text,
    ...detailOf([first.about]),
    options: first.labels.map((label, at) => ({ id: `option-${at + 1}`, label })),
  };
}

function formOf(asked: readonly AskedQuestion[]): Question {
  const properties = Object.fromEntries(
    asked.map(({ id, text, labels, about }): [string, JsonValue] => [
      id,
      {
        title: text,
        ...(about === '' ? {} : { description: about }),
        type: 'string',
        ...(labels.length === 0 ? {} : { enum: labels }),
      },
    ]),
  );
  const schema = { type: 'object', properties, required: Object.keys(properties) };
  return { kind: 'form', title: 'Codex has some questions', options: [], schema };
}
