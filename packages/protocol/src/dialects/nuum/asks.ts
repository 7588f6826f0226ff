import { isObject } from '../../framing/json.ts';
import type { JsonObject, JsonValue } from '../../model/json.ts';
import {
  type Answer,
  answerOf,
  permissionOf,
  permissionQuestion,
  type Question,
  type QuestionOption,
} from '../../model/question.ts';

/*
 * Questions are our own addition to this wire. A host offers to answer them by `permission: true` beside a message; the
 * agent asks by a system line and is answered by a control line, both with a `request_id`. An agent that was not
 * offered never asks.
 */

/**
 * The fields of a `permission_request`. A plain tool permission has the fields of AgentProc 0.4; any other question is
 * sent whole in `question`.
 */
export function requestFields(id: string, question: Question): JsonObject {
  const { tool } = question;
  const isPlain = question.kind === 'permission' && tool !== undefined && isPlainPermission(question);
  return {
    request_id: id,
    ...(tool === undefined ? {} : { tool_name: tool.name, input: tool.input }),
    ...(isPlain ? {} : { question: question as unknown as JsonObject }),
  };
}

function isPlainPermission({ title, detail, schema, options, tool }: Question): boolean {
  const plain = permissionQuestion(tool?.name ?? '', {});
  const sameOptions = JSON.stringify(options) === JSON.stringify(plain.options);
  return sameOptions && title === plain.title && detail === undefined && schema === undefined;
}

/** The question in a `permission_request`, or undefined when it holds no readable question. */
export function readQuestion({ tool_name: tool, input, question }: JsonObject): Question | undefined {
  if (isObject(question)) {
    const read = readWhole(question);
    if (read !== undefined) return read;
  }
  return typeof tool === 'string' ? permissionQuestion(tool, isObject(input) ? input : {}) : undefined;
}

const KINDS: readonly JsonValue[] = ['permission', 'choice', 'text', 'form'] satisfies Question['kind'][];

function readWhole(value: JsonObject): Question | undefined {
  const { kind, title, options } = value;
  if (typeof title !== 'string' || kind === undefined || !KINDS.includes(kind)) return undefined;
  if (!Array.isArray(options) || !options.every(isOption)) return undefined;
  // Unknown fields are kept: the interface that shows the question may support them.
  return value as unknown as Question;
}

function isOption(value: JsonValue): value is JsonObject & QuestionOption {
  return isObject(value) && typeof value.id === 'string' && typeof value.label === 'string';
}

/** The fields of the line that answers. */
export function responseFields(id: string, question: Question, answer: Answer): JsonObject {
  const { allowed, reason, input } = permissionOf(question, answer);
  return {
    action: 'permission_response',
    request_id: id,
    behavior: allowed ? 'allow' : 'deny',
    ...(reason === undefined ? {} : { message: reason }),
    ...(input === undefined ? {} : { updated_input: input }),
    answer: answer as unknown as JsonObject,
  };
}

/**
 * The answer in a `permission_response`: the whole `answer`, or one built from `behavior` for hosts that send only
 * allow or deny.
 */
export function readAnswer(question: Question, value: JsonObject): Answer {
  const { answer, behavior, message, updated_input: input } = value;
  if (isObject(answer) && typeof answer.by === 'string' && typeof answer.via === 'string')
    return answer as unknown as Answer;
  const permission = {
    allowed: behavior === 'allow',
    ...(typeof message === 'string' ? { reason: message } : {}),
    ...(isObject(input) ? { input } : {}),
  };
  return answerOf(question, permission, { by: 'host', via: 'person' });
}
