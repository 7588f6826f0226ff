import { listOf, objectOf, stringOf } from '../../framing/narrow.ts';
import type { JsonObject, JsonValue } from '../../model/json.ts';
import { type Answer, permissionOf, type Question, type QuestionOption } from '../../model/question.ts';
import { diffsOf, kindOfTool, titleOf } from './tools.ts';

/** The question of a `can_use_tool` request. */
export function readQuestion(request: JsonObject, workspace: string): Question {
  const input = objectOf(request.input);
  if (request.tool_name === 'AskUserQuestion') {
    const asked = readAsked(input);
    if (asked.length > 0) return choiceOf(asked) ?? formOf(asked);
  }
  return permissionFor(request, input, workspace);
}

function permissionFor(request: JsonObject, input: JsonObject, workspace: string): Question {
  const name = stringOf(request.tool_name) ?? 'a tool';
  const shown = stringOf(request.display_name) ?? name;
  const call = titleOf(name, input, workspace);
  const title =
    stringOf(request.title) ?? `May Claude use ${shown}${call === undefined ? '' : ` (${call})`}?`;
  const detail = detailOf(name, request, input);
  const command = name === 'Bash' ? stringOf(input.command) : undefined;
  const diffs = diffsOf(name, input);
  return {
    kind: 'permission',
    title: name === 'ExitPlanMode' ? 'May Claude carry out this plan?' : title,
    ...(detail === '' ? {} : { detail }),
    tool: {
      name,
      input,
      kind: kindOfTool(name),
      ...(command === undefined ? {} : { command }),
      ...(diffs.length === 0 ? {} : { diffs }),
    },
    options: permissionOptions(request),
  };
}

function detailOf(name: string, request: JsonObject, input: JsonObject): string {
  const plan = name === 'ExitPlanMode' ? stringOf(input.plan) : undefined;
  return [plan, stringOf(request.decision_reason)].filter((part) => part !== undefined).join('\n\n');
}

const ALLOW: QuestionOption = { id: 'allow', label: 'Allow once', effect: 'allow-once' };
const DENY: QuestionOption = { id: 'deny', label: 'Deny', effect: 'deny-once' };

/** The suggestions of the program become options that last as long as the session. */
function permissionOptions(request: JsonObject): QuestionOption[] {
  const { rules, mode } = suggestionsOf(request);
  return [
    ALLOW,
    ...(rules.length === 0
      ? []
      : [{ id: 'allow-session', label: rulesLabel(rules), effect: 'allow-always' } as const]),
    ...(mode === undefined
      ? []
      : [{ id: 'allow-mode', label: modeLabel(mode), effect: 'allow-always' } as const]),
    DENY,
  ];
}

interface Suggestions {
  readonly rules: readonly JsonObject[];
  readonly mode: JsonObject | undefined;
}

/** `destination` becomes `session` in each: any other one would write settings files into the project. */
function suggestionsOf(request: JsonObject): Suggestions {
  if (request.suppress_always_allow_rule === true || request.server_policy_ask_only === true)
    return { rules: [], mode: undefined };
  const all = listOf(request.permission_suggestions)
    .map(objectOf)
    .filter(({ type }) => typeof type === 'string')
    .map((suggestion): JsonObject => ({ ...suggestion, destination: 'session' }));
  const rules = all.filter(({ type, behavior }) => type === 'addRules' && behavior === 'allow');
  // A directory alone does not allow the call.
  const directories = rules.length === 0 ? [] : all.filter(({ type }) => type === 'addDirectories');
  return {
    rules: [...rules, ...directories],
    mode: all.find(({ type, mode }) => type === 'setMode' && mode !== 'bypassPermissions'),
  };
}

function rulesLabel(suggestions: readonly JsonObject[]): string {
  const rules = suggestions.flatMap(({ rules }) => listOf(rules).map(objectOf));
  const words = rules.map(({ toolName, ruleContent }) => String(ruleContent ?? toolName ?? ''));
  const about = words.filter((word) => word !== '').join(', ');
  return about === '' ? 'Allow for this session' : `Allow for this session: ${about}`;
}

function modeLabel({ mode }: JsonObject): string {
  return mode === 'acceptEdits' ? 'Allow all edits in this session' : `Allow, and change to the mode ${mode}`;
}

/** One question of `AskUserQuestion`. */
interface AskedQuestion {
  readonly text: string;
  readonly header: string;
  readonly labels: readonly string[];
  readonly about: readonly string[];
  readonly isMultiple: boolean;
}

function readAsked({ questions }: JsonObject): AskedQuestion[] {
  return listOf(questions).flatMap((value) => {
    const { question, header, options, multiSelect } = objectOf(value);
    if (typeof question !== 'string') return [];
    const choices = listOf(options)
      .map(objectOf)
      .filter(({ label }) => typeof label === 'string');
    return [
      {
        text: question,
        header: stringOf(header) ?? '',
        labels: choices.map(({ label }) => String(label)),
        about: choices.map(({ label, description }) =>
          typeof description === 'string' && description !== '' ? `${label}: ${description}` : '',
        ),
        isMultiple: multiSelect === true,
      },
    ];
  });
}

/** One question with one answer has a button for each option. */
function choiceOf([first, ...others]: readonly AskedQuestion[]): Question | undefined {
  if (first === undefined || others.length > 0 || first.isMultiple || first.labels.length === 0)
    return undefined;
  const detail = first.about.filter((line) => line !== '').join('\n');
  return {
    kind: 'choice',
    title: first.text,
    ...(detail === '' ? {} : { detail }),
    options: first.labels.map((label, at) => ({ id: `option-${at + 1}`, label })),
  };
}

/** Several questions, or one with several answers, are a form with a field `question-N` for each. */
function formOf(asked: readonly AskedQuestion[]): Question {
  const properties = Object.fromEntries(asked.map((one, at) => [`question-${at + 1}`, fieldOf(one)]));
  const [first] = asked;
  return {
    kind: 'form',
    title: asked.length === 1 && first !== undefined ? first.text : 'Claude has some questions',
    options: [],
    schema: { type: 'object', properties, required: Object.keys(properties) },
  };
}

function fieldOf({ text, labels, about, isMultiple }: AskedQuestion): JsonObject {
  const description = about.filter((line) => line !== '').join('\n');
  const words = { title: text, ...(description === '' ? {} : { description }) };
  const choices = labels.length === 0 ? { type: 'string' } : { type: 'string', enum: labels };
  return isMultiple
    ? { ...words, type: 'array', items: choices, uniqueItems: true }
    : { ...words, ...choices };
}

/** The `response` to a `can_use_tool` request. */
export function writeAnswer(question: Question, request: JsonObject, answer: Answer): JsonObject {
  const input = objectOf(request.input);
  if (question.kind !== 'permission') return answerAsked(question, input, answer);
  const { allowed, reason, input: changed } = permissionOf(question, answer);
  if (!allowed) return { behavior: 'deny', message: reason ?? 'The user has not allowed this.' };
  const { rules, mode } = suggestionsOf(request);
  const updates =
    answer.option === 'allow-session' ? rules : answer.option === 'allow-mode' && mode ? [mode] : [];
  return {
    behavior: 'allow',
    updatedInput: changed ?? input,
    ...(updates.length === 0 ? {} : { updatedPermissions: updates }),
  };
}

/** Without an answer the model reads that the user did not answer; after a policy it reads the reason. */
function answerAsked(question: Question, input: JsonObject, answer: Answer): JsonObject {
  const answers = Object.fromEntries(
    readAsked(input).flatMap(({ text }, at) => {
      const value = answerTo(question, at, answer);
      return value === undefined ? [] : [[text, value]];
    }),
  );
  if (Object.keys(answers).length > 0) return { behavior: 'allow', updatedInput: { ...input, answers } };
  if (answer.text !== undefined && answer.text !== '') return { behavior: 'deny', message: answer.text };
  return { behavior: 'allow', updatedInput: input };
}

/** `text` is an answer in the person's own words. */
function answerTo({ kind, options }: Question, at: number, answer: Answer): string | undefined {
  if (kind === 'form') return wordsOf(objectOf(answer.data as JsonValue)[`question-${at + 1}`]);
  const chosen = options.find(({ id }) => id === answer.option);
  if (chosen !== undefined) return chosen.label;
  return answer.via === 'person' && answer.text !== '' ? answer.text : undefined;
}

function wordsOf(value: JsonValue | undefined): string | undefined {
  const words = Array.isArray(value) ? listOf(value).map(String).join(', ') : value;
  return typeof words === 'string' && words !== '' ? words : undefined;
}

/** A call that nobody can be asked about. */
export const NOBODY_ASKED: JsonObject = {
  behavior: 'deny',
  message: 'Nobody can be asked now, because no turn is running.',
};
