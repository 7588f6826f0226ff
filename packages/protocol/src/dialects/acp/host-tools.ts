import type { HostEffect } from '../../contract/host-side.ts';
import { isObject } from '../../framing/json.ts';
import { objectOf, stringOf } from '../../framing/narrow.ts';
import type { ToolResult, ToolUpdate } from '../../model/event.ts';
import type { JsonObject, JsonValue } from '../../model/json.ts';
import type { FileDiff, ToolContent } from '../../model/tool.ts';
import { tell } from '../../rpc-host/state.ts';
import { endBlock } from './host-messages.ts';
import type { Conversation, KnownTool, RunningTurn } from './host-state.ts';
import { diffsIn, rawText, readKind, readLocations, readToolContent, textIn } from './tool-content.ts';

/**
 * A `tool_call` or `tool_call_update`. A call that waits without an input is held back until its input comes, because
 * agents send it while the model still writes it.
 */
export function readTool(
  conversation: Conversation,
  turn: RunningTurn,
  update: JsonObject,
  out: HostEffect[],
): void {
  const tool = findTool(conversation, turn, update, out);
  if (tool === undefined || tool.result !== undefined) return;
  const changes = applyUpdate(tool, update);
  const isOver = update.status === 'completed' || update.status === 'failed';
  if (tool.isTold) tellChanges(conversation, tool, changes, isOver, out);
  else if (isOver || tool.isRunning || hasInput(tool)) tellCall(conversation, tool, isOver, out);
  if (isOver) tellResult(conversation, turn, tool, readResult(tool, update), out);
}

/** The tool call that a question is about. Where it was not told, it is told now, with the input of the question. */
export function noteAskedTool(
  conversation: Conversation,
  turn: RunningTurn,
  asked: JsonObject,
  out: HostEffect[],
): KnownTool | undefined {
  const tool = findTool(conversation, turn, asked, out);
  if (tool === undefined) return undefined;
  tool.askedDiffs = diffsIn(readToolContent(asked.content) ?? []);
  if (tool.isTold) return tool;
  applyUpdate(tool, asked);
  tellCall(conversation, tool, false, out);
  return tool;
}

const REFUSED = 'The tool was refused.';

/** Ends the calls of a turn that is over: each call has a result. */
export function endTools(conversation: Conversation, turn: RunningTurn, out: HostEffect[]): void {
  for (const tool of turn.tools.values()) {
    if (tool.result !== undefined) continue;
    if (!tool.isTold) tellCall(conversation, tool, true, out);
    const content = tool.isRefused ? REFUSED : 'The tool did not finish.';
    tellResult(conversation, turn, tool, { type: 'tool-result', id: tool.id, content, isError: true }, out);
  }
}

function findTool(
  conversation: Conversation,
  turn: RunningTurn,
  { toolCallId: id }: JsonObject,
  out: HostEffect[],
): KnownTool | undefined {
  if (typeof id !== 'string' || id === '') return undefined;
  const known = turn.tools.get(id);
  if (known !== undefined) return known;
  endBlock(conversation, turn, out);
  const tool: KnownTool = {
    id,
    name: undefined,
    title: undefined,
    kind: undefined,
    isRunning: false,
    input: undefined,
    locations: [],
    content: [],
    askedDiffs: [],
    output: undefined,
    exitCode: undefined,
    isTold: false,
    isRefused: false,
    result: undefined,
  };
  turn.tools.set(id, tool);
  return tool;
}

/** Takes over the fields of a frame, and gives those that have changed. */
function applyUpdate(tool: KnownTool, update: JsonObject): Omit<ToolUpdate, 'type' | 'id'> {
  const meta = objectOf(update._meta);
  const toolName = stringOf(update.name) ?? stringOf(objectOf(meta.claudeCode).toolName);
  if (toolName !== undefined && toolName !== '' && tool.name === undefined) tool.name = toolName;
  noteOutput(tool, meta);
  const title = stringOf(update.title);
  const kind = readKind(update.kind);
  const { rawInput: input } = update;
  const locations = readLocations(update.locations);
  const content = readToolContent(update.content);
  const changes = {
    ...(title === undefined || title === '' || title === tool.title ? {} : { title }),
    ...(kind === undefined || kind === tool.kind ? {} : { kind }),
    ...(isSame(input ?? undefined, tool.input) || input === null ? {} : { input }),
    ...(locations === undefined || isSame(locations, tool.locations) ? {} : { locations }),
    ...(content === undefined || isSame(content, tool.content) ? {} : { content }),
    ...(update.status === 'in_progress' && !tool.isRunning ? { status: 'running' as const } : {}),
  };
  const { status, ...fields } = changes;
  Object.assign(tool, fields);
  if (status !== undefined) tool.isRunning = true;
  return changes as Omit<ToolUpdate, 'type' | 'id'>;
}

/** Codex's adapter tells the output of a command in `_meta` alone. */
function noteOutput(
  tool: KnownTool,
  { terminal_output_delta: delta, terminal_exit: exit }: JsonObject,
): void {
  const piece = objectOf(delta).data;
  if (typeof piece === 'string') tool.output = (tool.output ?? '') + piece;
  const code = objectOf(exit).exit_code;
  if (typeof code === 'number') tool.exitCode = code;
}

function isSame(one: unknown, other: unknown): boolean {
  return one === undefined || one === other || JSON.stringify(one) === JSON.stringify(other);
}

function hasInput({ input }: KnownTool): boolean {
  return input !== undefined && !(isObject(input) && Object.keys(input).length === 0);
}

/** A name from the agent itself. The title is no name: the model may choose its words. */
export function toolName({ id, name, kind }: Pick<KnownTool, 'id' | 'name' | 'kind'>): string {
  // Gemini CLI builds its ids of the tool's name and a number.
  return name ?? /^([A-Za-z]\w*)__./.exec(id)?.[1] ?? kind ?? 'tool';
}

/** `isOver`: the result follows, which tells the content. */
function tellCall(conversation: Conversation, tool: KnownTool, isOver: boolean, out: HostEffect[]): void {
  const { id, title, kind, isRunning, input, locations, content } = tool;
  tool.isTold = true;
  tell(
    conversation,
    {
      type: 'tool-call',
      id,
      name: toolName(tool),
      input: input ?? {},
      ...(title === undefined ? {} : { title }),
      ...(kind === undefined ? {} : { kind }),
      ...(isRunning || isOver ? {} : { status: 'pending' as const }),
      ...(locations.length === 0 ? {} : { locations }),
      ...(content.length === 0 || isOver ? {} : { content }),
    },
    out,
  );
}

/** The content of a finished call is told by its result. */
function tellChanges(
  conversation: Conversation,
  { id }: KnownTool,
  changes: Omit<ToolUpdate, 'type' | 'id'>,
  isOver: boolean,
  out: HostEffect[],
): void {
  const { content, ...rest } = changes;
  const told = isOver ? rest : changes;
  if (Object.keys(told).length > 0) tell(conversation, { type: 'tool-update', id, ...told }, out);
}

/** The changes that a finished call has made. opencode shows them in its question, and says only in words that they are made. */
function madeDiffs({ content, askedDiffs, isRefused }: KnownTool): readonly FileDiff[] {
  const diffs = diffsIn(content);
  return diffs.length === 0 && !isRefused ? askedDiffs : diffs;
}

function readResult(tool: KnownTool, { status, rawOutput }: JsonObject): ToolResult {
  const { id, content, output, exitCode } = tool;
  const diffs = status === 'failed' ? diffsIn(content) : madeDiffs(tool);
  const said = textIn(content) || (output ?? '') || rawText(rawOutput);
  const shown = said === '' ? diffs.map(({ path }) => `Changed ${path}`).join('\n') : said;
  const text = tool.isRefused && status === 'failed' && said === '' ? REFUSED : shown;
  const parts: ToolContent[] = [...diffs, ...outputOf(output, exitCode)];
  return {
    type: 'tool-result',
    id,
    content: text,
    isError: status === 'failed',
    ...(parts.length === 0 ? {} : { parts }),
  };
}

function outputOf(output: string | undefined, exitCode: number | undefined): ToolContent[] {
  if (output === undefined && exitCode === undefined) return [];
  return [{ type: 'output', output: output ?? '', ...(exitCode === undefined ? {} : { exitCode }) }];
}

function tellResult(
  conversation: Conversation,
  turn: RunningTurn,
  tool: KnownTool,
  result: ToolResult,
  out: HostEffect[],
): void {
  tool.result = result;
  if (!result.isError) for (const { path } of madeDiffs(tool)) turn.files.add(path);
  tell(conversation, result, out);
}

/** The command line of a call that runs one. */
export function commandOf(kind: string | undefined, input: JsonValue | undefined): string | undefined {
  const { command, cmd } = objectOf(input);
  const said = command ?? cmd;
  if (Array.isArray(said)) return said.map(String).join(' ');
  return typeof said === 'string' && (kind === undefined || kind === 'execute') ? said : undefined;
}
