import { isObject } from '../../framing/json.ts';
import { objectOf } from '../../framing/narrow.ts';
import type { JsonObject, JsonValue } from '../../model/json.ts';
import type { Answer, Question } from '../../model/question.ts';
import { ELICITATION_CANCELLED, writeElicited } from './elicitation.ts';
import { amendments, readAsked } from './questions.ts';
import type { OpenAsk } from './state.ts';
import { HOST_METHODS } from './wire.ts';

/** An answer, as the program reads it. */
export interface Decision {
  readonly result: JsonObject;
  readonly isAllowed: boolean;
  /** The decision is `cancel`: Codex ends the turn. */
  readonly endsTurn: boolean;
}

/** The denial of a request, for times without a running turn; undefined for an unknown `method`. */
export function refusalOf(method: string): JsonObject | undefined {
  switch (method) {
    case HOST_METHODS.approveCommand:
    case HOST_METHODS.approveChange:
      return { decision: 'decline' };
    case HOST_METHODS.approvePermissions:
      return { permissions: {}, scope: 'turn' };
    case HOST_METHODS.requestInput:
      return { answers: {} };
    case HOST_METHODS.elicit:
      return ELICITATION_CANCELLED;
    default:
      return undefined;
  }
}

/** The decision that an answer means. The wire cannot say a changed input: a yes to one is a no. */
export function decide({ method, params, question }: OpenAsk, answer: Answer): Decision {
  const chosen = question.options.find(({ id }) => id === answer.option);
  const isAllowed = chosen?.effect?.startsWith('allow') === true && !hasChangedInput(question, answer);
  const decision = { isAllowed, endsTurn: false };
  switch (method) {
    case HOST_METHODS.approvePermissions:
      return {
        ...decision,
        result: isAllowed ? grant(params, answer.option) : { permissions: {}, scope: 'turn' },
      };
    case HOST_METHODS.requestInput:
      return {
        isAllowed: true,
        endsTurn: false,
        result: { answers: writeAnswers(question, params, answer) },
      };
    case HOST_METHODS.elicit:
      return { ...decision, result: writeElicited(question, isAllowed ? answer : without(question, answer)) };
    default: {
      const rule = amendments(params).find(({ option }) => option.id === answer.option)?.decision;
      const isKnown = chosen !== undefined && (isAllowed || chosen.effect?.startsWith('deny') === true);
      const said = isKnown ? (rule ?? chosen.id) : 'decline';
      return { isAllowed, endsTurn: said === 'cancel', result: { decision: said } };
    }
  }
}

/** Whether an answer replaces the input of the tool by another. */
export function hasChangedInput({ tool }: Question, { input }: Answer): boolean {
  return input !== undefined && JSON.stringify(input) !== JSON.stringify(tool?.input);
}

/** Drops `option` of a denied `permission` question. */
function without({ kind }: Question, answer: Answer): Answer {
  if (kind !== 'permission') return answer;
  const { option: _chosen, ...others } = answer;
  return others;
}

function grant({ permissions }: JsonObject, scope: string | undefined): JsonObject {
  const asked = Object.entries(objectOf(permissions)).filter(([, value]) => value !== null);
  return { permissions: Object.fromEntries(asked), scope: scope === 'session' ? 'session' : 'turn' };
}

function writeAnswers(question: Question, params: JsonObject, answer: Answer): JsonObject {
  return Object.fromEntries(
    readAsked(params).flatMap(({ id }): [string, JsonObject][] => {
      const value = answerTo(question, id, answer);
      return value === undefined ? [] : [[id, { answers: [value] }]];
    }),
  );
}

/** `text` is an answer in the person's own words. */
function answerTo({ kind, options }: Question, id: string, answer: Answer): string | undefined {
  if (kind === 'form') {
    const value: JsonValue | undefined = isObject(answer.data) ? answer.data[id] : undefined;
    return typeof value === 'string' && value !== '' ? value : undefined;
  }
  const chosen = options.find((option) => option.id === answer.option);
  if (chosen !== undefined) return chosen.label;
  return answer.via === 'person' && answer.text !== '' ? answer.text : undefined;
}
