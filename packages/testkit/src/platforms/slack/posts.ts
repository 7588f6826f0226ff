import type { SlackBlock, SlackButton, StoredMessage, Workspace } from './workspace.ts';
import { SlackProblem } from './workspace.ts';

/** Fields of a Web API call; values that were sent as JSON are parsed. */
export type Fields = Readonly<Record<string, unknown>>;

const MOST_POST = 40_000;
const MOST_UPDATE = 4_000;
const MOST_SECTION = 3_000;
const MOST_BLOCKS = 50;
const MOST_BUTTONS = 25;
const MOST_LABEL = 75;
const MOST_ACTION_ID = 255;

/** `chat.postMessage`: longer texts are cut, as Slack does. */
export function postMessage(workspace: Workspace, fields: Fields): Fields {
  const { botUser, botId, messages } = workspace;
  const channel = openChannel(workspace, fields.channel);
  const blocks = readBlocks(fields.blocks) ?? [];
  const text = textOf(fields.text);
  if (text === '' && blocks.length === 0) throw new SlackProblem('no_text');
  const message: StoredMessage = {
    channel,
    ts: workspace.newTs(),
    ...(typeof fields.thread_ts === 'string' ? { thread_ts: fields.thread_ts } : {}),
    user: botUser,
    bot_id: botId,
    text: text.slice(0, MOST_POST),
    blocks,
    ...(fields.metadata === undefined ? {} : { metadata: readMetadata(fields.metadata) }),
    files: [],
  };
  messages.push(message);
  return { channel, ts: message.ts, message: { text: message.text } };
}

/** `chat.update`: blocks that are not given stay. */
export function updateMessage(workspace: Workspace, { channel, ts, ...fields }: Fields): Fields {
  if (typeof ts !== 'string') throw new SlackProblem('invalid_arguments');
  const message = workspace.find(openChannel(workspace, channel), ts);
  if (message.bot_id !== workspace.botId) throw new SlackProblem('cant_update_message');
  const text = textOf(fields.text);
  if (text.length > MOST_UPDATE) throw new SlackProblem('msg_too_long');
  const blocks = readBlocks(fields.blocks);
  if (text === '' && (blocks ?? message.blocks).length === 0) throw new SlackProblem('no_text');
  if (message.blocks.some(({ elements }) => elements !== undefined))
    workspace.oldBlocks.set(ts, message.blocks);
  message.text = text;
  message.blocks = blocks ?? message.blocks;
  return { channel, ts, text };
}

/** The channel of a call, unless `Workspace.refusals` closes it. */
export function openChannel({ refusals }: Workspace, channel: unknown): string {
  if (typeof channel !== 'string' || !/^[CDG]/.test(channel)) throw new SlackProblem('channel_not_found');
  const refusal = refusals.get(channel);
  if (refusal !== undefined) throw new SlackProblem(refusal);
  return channel;
}

function textOf(text: unknown): string {
  return typeof text === 'string' ? text : '';
}

function readMetadata(metadata: unknown): object {
  const { event_type: type, event_payload: payload } = metadata as Fields;
  if (typeof type !== 'string' || typeof payload !== 'object')
    throw new SlackProblem('invalid_metadata_format');
  return metadata as object;
}

function readBlocks(given: unknown): readonly SlackBlock[] | undefined {
  if (given === undefined) return undefined;
  if (!Array.isArray(given)) throw new SlackProblem('invalid_blocks_format');
  const blocks = given as readonly SlackBlock[];
  const buttons = blocks.flatMap(({ elements = [] }) => elements);
  const ids = buttons.map(({ action_id: id }) => id);
  const isWrong =
    blocks.length > MOST_BLOCKS ||
    blocks.some(isWrongBlock) ||
    buttons.some(isWrongButton) ||
    new Set(ids).size < ids.length;
  if (isWrong) throw new SlackProblem('invalid_blocks');
  return blocks;
}

function isWrongBlock({ type, text, elements }: SlackBlock): boolean {
  if (type === 'section') return !hasLength(text?.text, MOST_SECTION);
  return type !== 'actions' || elements === undefined || !hasLength(elements, MOST_BUTTONS);
}

function isWrongButton({ type, text, action_id: id }: SlackButton): boolean {
  return type !== 'button' || !hasLength(text?.text, MOST_LABEL) || !hasLength(id, MOST_ACTION_ID);
}

function hasLength(value: { readonly length: number } | undefined, most: number): boolean {
  return value !== undefined && value.length > 0 && value.length <= most;
}
