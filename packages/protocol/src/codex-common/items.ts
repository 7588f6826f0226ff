import { listOf, objectOf, stringOf } from '../framing/narrow.ts';
import type { ToolCall, ToolResult } from '../model/event.ts';
import type { JsonObject, JsonValue } from '../model/json.ts';
import { baseName } from '../model/media.ts';
import type { FileDiff, FileLocation, ToolKind } from '../model/tool.ts';

type Call = Omit<ToolCall, 'type' | 'id'>;
type Result = Omit<ToolResult, 'type' | 'id'>;

/** An item of a thread that is a call of a tool, with the fields of `codex app-server`. */
interface ItemKind {
  describe(item: JsonObject): Call;
  result(item: JsonObject): Pick<Result, 'content' | 'parts'>;
}

const KINDS: Readonly<Record<string, ItemKind>> = {
  commandExecution: { describe: describeCommand, result: commandResult },
  fileChange: { describe: describeChange, result: changeResult },
  mcpToolCall: { describe: describeMcp, result: mcpResult },
  dynamicToolCall: { describe: describeDynamic, result: dynamicResult },
  collabAgentToolCall: { describe: describeCollab, result: () => ({ content: '' }) },
  webSearch: { describe: describeSearch, result: () => ({ content: '' }) },
  imageView: { describe: describeImageView, result: () => ({ content: '' }) },
  imageGeneration: { describe: describeImage, result: imageResult },
};

/** Whether an item is a call of a tool. */
export function isToolItem({ type }: JsonObject): boolean {
  return typeof type === 'string' && Object.hasOwn(KINDS, type);
}

/** The `tool-call` of an item. */
export function describeItem(id: string, item: JsonObject): ToolCall {
  const call = kindOf(item)?.describe(item) ?? { name: 'tool', input: {} };
  return { type: 'tool-call', id, ...call };
}

/** The `tool-result` of an item that is over. `refusal` is what a person or a rule has said to it. */
export function resultOfItem(id: string, item: JsonObject, refusal?: string): ToolResult {
  const { status, success } = item;
  const isRefused = status === 'declined' || (status === 'failed' && refusal !== undefined);
  if (isRefused) return { type: 'tool-result', id, content: refusal ?? REFUSED, isError: true };
  const said = kindOf(item)?.result(item) ?? { content: '' };
  return { type: 'tool-result', id, isError: status === 'failed' || success === false, ...said };
}

/** The content of a call that was refused without a reason. */
export const REFUSED = 'The tool was refused.';

function kindOf({ type }: JsonObject): ItemKind | undefined {
  return typeof type === 'string' && Object.hasOwn(KINDS, type) ? KINDS[type] : undefined;
}

function describeCommand(item: JsonObject): Call {
  const { cwd } = item;
  const command = commandOf(item);
  const actions = listOf(item.commandActions).map(objectOf);
  const locations = actions.flatMap(({ type, path }): FileLocation[] =>
    type === 'read' && typeof path === 'string' ? [{ path }] : [],
  );
  return {
    name: 'exec',
    input: { command, ...(typeof cwd === 'string' ? { cwd } : {}) },
    title: firstLine(command),
    kind: kindOfActions(actions.map(({ type }) => type)),
    ...(locations.length === 0 ? {} : { locations }),
  };
}

function kindOfActions(types: readonly (JsonValue | undefined)[]): ToolKind {
  if (types.length === 0) return 'execute';
  if (types.every((type) => type === 'read')) return 'read';
  return types.every((type) => type === 'search' || type === 'listFiles') ? 'search' : 'execute';
}

/** The command line that the model has written. The program wraps it into a shell of its own. */
export function commandOf({ command, commandActions }: JsonObject): string {
  const whole = stringOf(command) ?? '';
  const [only, ...others] = listOf(commandActions).map(objectOf);
  const inner = others.length === 0 ? stringOf(only?.command) : undefined;
  return inner !== undefined && whole.includes(inner) ? inner : whole;
}

function commandResult({ aggregatedOutput, exitCode }: JsonObject): Pick<Result, 'content' | 'parts'> {
  const output = stringOf(aggregatedOutput) ?? '';
  if (typeof exitCode !== 'number') return { content: output };
  const isSilent = output === '' && exitCode !== 0;
  return {
    content: isSilent ? `The command exited with code ${exitCode}.` : output,
    parts: [{ type: 'output', output, exitCode }],
  };
}

function describeChange(item: JsonObject): Call {
  const diffs = diffsOf(item.changes);
  return {
    name: 'edit',
    input: { changes: item.changes ?? [] },
    title: `Edit ${diffs.map(({ path }) => baseName(path)).join(', ')}`,
    kind: 'edit',
    locations: diffs.map(({ path }) => ({ path })),
    ...(diffs.length === 0 ? {} : { content: diffs }),
  };
}

function changeResult({ changes }: JsonObject): Pick<Result, 'content' | 'parts'> {
  const diffs = diffsOf(changes);
  return { content: diffs.map(({ path }) => `Changed ${path}`).join('\n'), parts: diffs };
}

/** The changes of a file change. The `diff` of a new or a deleted file is its text. */
export function diffsOf(changes: JsonValue | undefined): FileDiff[] {
  return listOf(changes).flatMap((value): FileDiff[] => {
    const { path, diff } = objectOf(value);
    if (typeof path !== 'string') return [];
    const kind = objectOf(objectOf(value).kind);
    const text = stringOf(diff) ?? '';
    if (kind.type === 'add') return [{ type: 'diff', path, newText: text }];
    if (kind.type === 'delete') return [{ type: 'diff', path, oldText: text, newText: '' }];
    const target = stringOf(kind.move_path) ?? path;
    const isWhole = text === '' || text.startsWith('---') || text.startsWith('diff ');
    return [{ type: 'diff', path: target, patch: isWhole ? text : `--- ${path}\n+++ ${target}\n${text}` }];
  });
}

function describeMcp(item: JsonObject): Call {
  const name = [item.server, item.tool].filter((part) => typeof part === 'string').join('.');
  const kind: ToolKind = item.readOnlyHint === true ? 'read' : 'other';
  return { name: name === '' ? 'mcp' : name, input: item.arguments ?? {}, kind };
}

function mcpResult({ result, error }: JsonObject): Pick<Result, 'content'> {
  const failure = stringOf(objectOf(error).message);
  if (failure !== undefined) return { content: failure };
  const { content, structuredContent } = objectOf(result);
  const said = listOf(content).map(textOfBlock).join('\n');
  const data = structuredContent ?? null;
  return { content: said === '' && data !== null ? JSON.stringify(data) : said };
}

/** A block without text appears by its type, for example `[image]`. */
function textOfBlock(value: JsonValue): string {
  const { type, text } = objectOf(value);
  return stringOf(text) ?? `[${stringOf(type) ?? 'block'}]`;
}

function describeDynamic({ namespace, tool, arguments: input }: JsonObject): Call {
  const name = [namespace, tool].filter((part) => typeof part === 'string').join('.');
  return { name: name === '' ? 'tool' : name, input: input ?? {}, kind: 'other' };
}

function dynamicResult({ contentItems }: JsonObject): Pick<Result, 'content'> {
  return { content: listOf(contentItems).map(textOfBlock).join('\n') };
}

function describeCollab({ tool, prompt, model }: JsonObject): Call {
  const name = stringOf(tool) ?? 'agent';
  const line = firstLine(stringOf(prompt) ?? '');
  return {
    name,
    input: {
      ...(typeof prompt === 'string' ? { prompt } : {}),
      ...(typeof model === 'string' ? { model } : {}),
    },
    ...(line === '' ? {} : { title: `${name}: ${line}` }),
    kind: 'think',
  };
}

function describeSearch({ query, action }: JsonObject): Call {
  const { url, pattern } = objectOf(action);
  const about = [query, url, pattern].find((part) => typeof part === 'string' && part !== '');
  const words = stringOf(about);
  return {
    name: 'web_search',
    input: { query: stringOf(query) ?? '', ...(action === undefined || action === null ? {} : { action }) },
    ...(words === undefined ? {} : { title: `Search: ${firstLine(words)}` }),
    kind: 'fetch',
  };
}

function describeImageView({ path }: JsonObject): Call {
  const file = stringOf(path) ?? '';
  return {
    name: 'view_image',
    input: { path: file },
    title: `View ${baseName(file)}`,
    kind: 'read',
    ...(file === '' ? {} : { locations: [{ path: file }] }),
  };
}

function describeImage({ revisedPrompt }: JsonObject): Call {
  const prompt = stringOf(revisedPrompt);
  return { name: 'image_generation', input: prompt === undefined ? {} : { prompt }, kind: 'other' };
}

function imageResult({ savedPath }: JsonObject): Pick<Result, 'content'> {
  return { content: stringOf(savedPath) ?? '' };
}

/** The files that a call has written, where it succeeded. */
export function filesOf(item: JsonObject): string[] {
  if (item.type !== 'fileChange' || item.status !== 'completed') return [];
  return diffsOf(item.changes).map(({ path }) => path);
}

function firstLine(text: string): string {
  return text.trim().split('\n', 1)[0] ?? '';
}
