import type { AgentEffect } from '../../contract/agent-side.ts';
import type { ToolCall, ToolResult, ToolUpdate } from '../../model/event.ts';
import type { JsonObject, JsonValue } from '../../model/json.ts';
import type { AskedTool } from '../../model/question.ts';
import type { FileDiff, FileLocation, ToolContent, ToolKind } from '../../model/tool.ts';
import { type AgentSession, type OpenTurn, type TurnCall, update } from './agent-state.ts';

/** Announces a tool call. A call that a question has announced already is brought up to date. */
export function tellCall(turn: OpenTurn, call: ToolCall, out: AgentEffect[]): void {
  const about = aboutOf(call);
  const at = turn.asked.findIndex((asked) => asked.isOpen && asked.about === about);
  const [asked] = at === -1 ? [] : turn.asked.splice(at, 1);
  const wireId = asked?.wireId ?? newCallId(turn.session, call.id);
  turn.calls.set(call.id, { wireId, about, isOpen: true });
  const fields = {
    toolCallId: wireId,
    title: call.title ?? call.name,
    name: call.name,
    kind: wireKind(call.kind, call.name),
    status: STATUS[call.status ?? 'running'],
    ...(call.content === undefined ? {} : { content: writeParts(call.content) }),
    ...(call.locations === undefined ? {} : { locations: writeLocations(call.locations) }),
    rawInput: call.input,
  };
  const sessionUpdate = asked === undefined ? 'tool_call' : 'tool_call_update';
  update(turn.session, { sessionUpdate, ...fields }, out);
}

const STATUS = { pending: 'pending', running: 'in_progress' } as const;

/** Tells what has changed. A call that was never announced is not shown. */
export function tellCallUpdate(turn: OpenTurn, event: ToolUpdate, out: AgentEffect[]): void {
  const toolCallId = turn.calls.get(event.id)?.wireId;
  if (toolCallId === undefined) return;
  const { title, kind, status, input, locations, content } = event;
  const changed = {
    ...(title === undefined ? {} : { title }),
    ...(kind === undefined ? {} : { kind: wireKind(kind) }),
    ...(status === undefined ? {} : { status: STATUS[status] }),
    ...(content === undefined ? {} : { content: writeParts(content) }),
    ...(locations === undefined ? {} : { locations: writeLocations(locations) }),
    ...(input === undefined ? {} : { rawInput: input }),
  };
  update(turn.session, { sessionUpdate: 'tool_call_update', toolCallId, ...changed }, out);
}

/** The whole text is `rawOutput` where the parts show something else. */
export function tellCallResult(turn: OpenTurn, event: ToolResult, out: AgentEffect[]): void {
  const call = turn.calls.get(event.id);
  if (call === undefined || !call.isOpen) return;
  call.isOpen = false;
  const { content, parts, isError } = event;
  const text: readonly ToolContent[] = content === '' ? [] : [{ type: 'text', text: content }];
  const fields = {
    status: isError ? 'failed' : 'completed',
    content: writeParts(parts ?? text),
    ...(parts === undefined ? {} : { rawOutput: content }),
  };
  update(turn.session, { sessionUpdate: 'tool_call_update', toolCallId: call.wireId, ...fields }, out);
}

/** Ends a call that only a question has announced, once. */
export function closeAsked(
  { session }: OpenTurn,
  call: TurnCall,
  status: 'completed' | 'failed',
  out: AgentEffect[],
): void {
  if (!call.isOpen) return;
  call.isOpen = false;
  update(session, { sessionUpdate: 'tool_call_update', toolCallId: call.wireId, status }, out);
}

/** The call of this tool that has no result. */
export function findCall({ calls }: OpenTurn, tool: AskedTool): TurnCall | undefined {
  const about = aboutOf(tool);
  return [...calls.values()].findLast((call) => call.isOpen && call.about === about);
}

/** Tells a tool call from others of its turn, where there is no id. */
export function aboutOf({ name, input }: { readonly name: string; readonly input: JsonValue }): string {
  return JSON.stringify([name, input]);
}

/** An id of a tool call that the session has not had. Handlers count their calls anew in each turn. */
export function newCallId({ callIds, idSuffix }: AgentSession, id: string): string {
  let found = `${id}${idSuffix}`;
  for (let count = 2; callIds.has(found); count++) found = `${id}${idSuffix}-${count}`;
  callIds.add(found);
  return found;
}

const KINDS: ReadonlySet<string> = new Set<ToolKind>([
  'read',
  'edit',
  'delete',
  'move',
  'search',
  'execute',
  'think',
  'fetch',
  'other',
]);

/** Kinds by the name of the tool, for agents that do not tell them. */
const KINDS_BY_NAME: ReadonlyMap<string, ToolKind> = new Map([
  ['bash', 'execute'],
  ['shell', 'execute'],
  ['exec', 'execute'],
  ['run', 'execute'],
  ['read', 'read'],
  ['cat', 'read'],
  ['view', 'read'],
  ['write', 'edit'],
  ['edit', 'edit'],
  ['patch', 'edit'],
  ['delete', 'delete'],
  ['move', 'move'],
  ['grep', 'search'],
  ['glob', 'search'],
  ['search', 'search'],
  ['fetch', 'fetch'],
  ['think', 'think'],
]);

export function wireKind(kind: string | undefined, name = ''): string {
  if (kind === 'switch-mode') return 'switch_mode';
  if (kind !== undefined && KINDS.has(kind)) return kind;
  const words = name
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z]+/);
  for (const word of words) {
    const known = KINDS_BY_NAME.get(word);
    if (known !== undefined) return known;
  }
  return 'other';
}

function writeLocations(locations: readonly FileLocation[]): readonly JsonObject[] {
  return locations.map(({ path, line }) => ({ path, ...(line === undefined ? {} : { line }) }));
}

function writeParts(parts: readonly ToolContent[]): readonly JsonObject[] {
  return parts.map(writePart);
}

function writePart(part: ToolContent): JsonObject {
  if (part.type === 'diff') return writeDiff(part);
  if (part.type === 'text') return textPart(part.text);
  const { output, exitCode } = part;
  return textPart(exitCode === undefined || exitCode === 0 ? output : `${output}\n[exit code ${exitCode}]`);
}

/** A unified diff has no form of its own: it is shown as text. */
export function writeDiff({ path, oldText, newText, patch }: FileDiff): JsonObject {
  if (newText === undefined && patch !== undefined) return textPart(`\`\`\`diff\n${patch}\n\`\`\``);
  return { type: 'diff', path, oldText: oldText ?? null, newText: newText ?? '' };
}

function textPart(text: string): JsonObject {
  return { type: 'content', content: { type: 'text', text } };
}
