import type { AgentEffect } from '../../contract/agent-side.ts';
import { isObject } from '../../framing/json.ts';
import { listOf, objectOf, stringOf } from '../../framing/narrow.ts';
import type { JsonObject, JsonValue } from '../../model/json.ts';
import type { Answer, OptionEffect, Question, QuestionOption } from '../../model/question.ts';
import {
  type AcpAgentState,
  notify,
  type OpenAsk,
  type OpenTurn,
  type RpcId,
  request,
  type TurnCall,
  update,
} from './agent-state.ts';
import { aboutOf, closeAsked, findCall, newCallId, wireKind, writeDiff } from './agent-tools.ts';
import { CANCEL_REQUEST, HOST_METHODS } from './wire.ts';

/** Asks the client. A question that it has no form for cannot be asked. */
export function ask(
  state: AcpAgentState,
  turn: OpenTurn,
  { askId, question }: { readonly askId: string; readonly question: Question },
  out: AgentEffect[],
): void {
  const form = state.client.forms ? formOf(question) : undefined;
  if (form !== undefined) {
    const fields = { sessionId: turn.session.key, mode: 'form', message: messageOf(question) };
    const call = request(state, HOST_METHODS.createElicitation, { ...fields, requestedSchema: form }, out);
    state.asks.set(call, { askId, turnId: turn.id, question, form: 'elicitation', asked: undefined });
  } else if (question.options.length > 0) askPermission(state, turn, askId, question, out);
  else out.push({ type: 'cannot-ask', askId });
}

function messageOf({ title, detail }: Question): string {
  return detail === undefined ? title : `${title}\n\n${detail}`;
}

/** The schema of a form for a question that is no permission; undefined where no form can ask it. */
function formOf({ kind, options, schema, title }: Question): JsonObject | undefined {
  switch (kind) {
    case 'permission':
      return undefined;
    case 'choice':
      return answerForm({ title, oneOf: options.map(({ id, label }) => ({ const: id, title: label })) });
    case 'text':
      return answerForm({ title });
    case 'form':
      return schema === undefined ? undefined : flatSchema(schema);
  }
}

function answerForm(property: JsonObject): JsonObject {
  return {
    type: 'object',
    properties: { answer: { type: 'string', ...property } },
    required: ['answer'],
  };
}

const PLAIN: ReadonlySet<JsonValue | undefined> = new Set(['string', 'number', 'integer', 'boolean']);

/** Forms have fields of plain types, and lists of choices. */
function flatSchema(schema: JsonObject): JsonObject | undefined {
  const { properties, required, title } = schema;
  if (!isObject(properties) || !Object.values(properties).every(isField)) return undefined;
  return {
    type: 'object',
    ...(typeof title === 'string' ? { title } : {}),
    properties,
    required: listOf(required),
  };
}

function isField(value: JsonValue | undefined): boolean {
  const { type, items } = objectOf(value);
  return PLAIN.has(type) || (type === 'array' && isObject(items));
}

/** A permission, and any other choice for a client without forms. */
function askPermission(
  state: AcpAgentState,
  turn: OpenTurn,
  askId: string,
  question: Question,
  out: AgentEffect[],
): void {
  const { tool } = question;
  const known = tool === undefined ? undefined : findCall(turn, tool);
  const asked = known === undefined ? announce(turn, askId, question, out) : undefined;
  const params = {
    sessionId: turn.session.key,
    toolCall: { toolCallId: (known ?? asked)?.wireId ?? askId, ...describe(question) },
    options: question.options.map(writeOption),
  };
  const call = request(state, HOST_METHODS.requestPermission, params, out);
  state.asks.set(call, { askId, turnId: turn.id, question, form: 'permission', asked });
}

/** Announces the tool call of a question: clients show the question as a part of it. */
function announce(turn: OpenTurn, askId: string, question: Question, out: AgentEffect[]): TurnCall {
  const wireId = newCallId(turn.session, askId);
  const { tool } = question;
  const call = { wireId, about: tool === undefined ? undefined : aboutOf(tool), isOpen: true };
  turn.endsMessage = false;
  turn.asked.push(call);
  update(turn.session, { sessionUpdate: 'tool_call', toolCallId: wireId, ...describe(question) }, out);
  return call;
}

function describe({ title, detail, tool }: Question): JsonObject {
  const parts = tool?.diffs?.map(writeDiff) ?? [];
  const text = { type: 'content', content: { type: 'text', text: detail ?? '' } };
  const content = detail === undefined ? parts : [text, ...parts];
  return {
    title,
    ...(tool === undefined ? {} : { name: tool.name }),
    kind: wireKind(tool?.kind, tool?.name),
    status: 'pending',
    ...(content.length === 0 ? {} : { content }),
    ...(tool === undefined ? {} : { rawInput: tool.input }),
  };
}

const KINDS: Readonly<Record<OptionEffect, string>> = {
  'allow-once': 'allow_once',
  'allow-always': 'allow_always',
  'deny-once': 'reject_once',
  'deny-always': 'reject_always',
};

function writeOption({ id, label, effect }: QuestionOption): JsonObject {
  return { optionId: id, name: label, kind: KINDS[effect ?? 'allow-once'] };
}

/** Reads the response to a question. A late response, to a question that is open no longer, is ignored. */
export function takeAnswer(state: AcpAgentState, call: RpcId, result: JsonValue, out: AgentEffect[]): void {
  const open = closeAsk(state, call);
  if (open === undefined) return;
  const answer = open.form === 'elicitation' ? readContent(open, result) : readOutcome(result);
  settle(state, open, answer, out);
}

/** The client could not ask: that is a no. */
export function takeRefusal(state: AcpAgentState, call: RpcId, reason: string, out: AgentEffect[]): void {
  const open = closeAsk(state, call);
  if (open !== undefined) settle(state, open, { by: 'host', via: 'policy', text: reason }, out);
}

/** The handler waits for the answer no longer. */
export function withdraw(state: AcpAgentState, askId: string, out: AgentEffect[]): void {
  for (const [call, open] of state.asks) {
    if (open.askId !== askId) continue;
    closeAsk(state, call);
    notify(CANCEL_REQUEST, { requestId: call }, out);
    closeCall(state, open, 'failed', out);
  }
}

/** Answers the open questions of a turn that is being cancelled with a no, whether or not the client does. */
export function cancelAsks(state: AcpAgentState, turnId: string, out: AgentEffect[]): void {
  for (const [call, open] of state.asks) {
    if (open.turnId !== turnId) continue;
    closeAsk(state, call);
    settle(state, open, { by: 'host', via: 'withdrawn' }, out);
  }
}

/** Forgets the questions of a turn that has ended. */
export function dropAsks(state: AcpAgentState, turnId: string): void {
  for (const [call, open] of state.asks) if (open.turnId === turnId) closeAsk(state, call);
}

function closeAsk({ asks }: AcpAgentState, call: RpcId): OpenAsk | undefined {
  const open = asks.get(call);
  asks.delete(call);
  return open;
}

function settle(state: AcpAgentState, open: OpenAsk, answer: Answer, out: AgentEffect[]): void {
  out.push({ type: 'answer', askId: open.askId, answer });
  const isYes = open.question.options.some(({ id, effect }) => id === answer.option && isAllowing(effect));
  if (!isYes) closeCall(state, open, 'failed', out);
}

function isAllowing(effect: OptionEffect | undefined): boolean {
  return effect === undefined || effect.startsWith('allow');
}

/** Ends the tool call that was announced for the question: it will not run. */
function closeCall(
  state: AcpAgentState,
  { asked, turnId }: OpenAsk,
  status: 'failed',
  out: AgentEffect[],
): void {
  const turn = state.turns.get(turnId);
  if (turn !== undefined && asked !== undefined) closeAsked(turn, asked, status, out);
}

function readOutcome(result: JsonValue): Answer {
  const { outcome, optionId } = objectOf(objectOf(result).outcome);
  const option = outcome === 'selected' ? stringOf(optionId) : undefined;
  if (option === undefined) return { by: 'host', via: 'withdrawn' };
  return { by: 'host', via: 'person', option };
}

/** The answer in the content of a form. */
function readContent({ question }: OpenAsk, result: JsonValue): Answer {
  const { action, content } = objectOf(result);
  const origin = { by: 'host', via: 'person' } as const;
  if (action !== 'accept') return action === 'decline' ? origin : { ...origin, via: 'withdrawn' };
  if (question.kind === 'form') return { ...origin, data: content ?? {} };
  const answer = stringOf(objectOf(content).answer);
  if (answer === undefined) return origin;
  return question.kind === 'choice' ? { ...origin, option: answer } : { ...origin, text: answer };
}
