import type { FakeCall, FakeReply } from '../fake-server.ts';
import { BotApiError } from './html.ts';
import { type CallInput, readInput } from './multipart.ts';
import type { UpdateQueue } from './queue.ts';
import {
  editText,
  isFileMethod,
  type RateOptions,
  refused,
  requireTarget,
  sendAlbum,
  sendFile,
  sendText,
} from './send-methods.ts';
import type { ApiObject, World } from './world.ts';

export interface MethodOptions extends RateOptions {
  /** Age after which `answerCallbackQuery` is refused. */
  readonly pressMs?: number;
  /** The message of the next album that fails, counted from 1. */
  failAlbumAt?: number | undefined;
}

const DOWNLOAD_BYTES = 20 * 1_048_576;
const PRESS_MS = 15_000;

/** Answers a request as the Bot API does. */
export async function answerCall(
  world: World,
  queue: UpdateQueue,
  options: MethodOptions,
  call: FakeCall,
): Promise<FakeReply> {
  const [, isFile, token, rest = ''] = /^\/(file\/)?bot([^/]+)\/(.+)$/.exec(call.path) ?? [];
  if (token === undefined || !/^\d+:[A-Za-z0-9_-]{20,}$/.test(token)) return failure(404, 'Not Found');
  if (token !== world.token) return failure(401, 'Unauthorized');
  if (isFile !== undefined) return fileReply(world, decodeURIComponent(rest));
  try {
    return {
      status: 200,
      body: { ok: true, result: await runMethod(world, queue, options, rest, readInput(call)) },
    };
  } catch (error) {
    if (!(error instanceof BotApiError)) throw error;
    return failure(error.status, error.message, error.parameters);
  }
}

function failure(status: number, description: string, parameters?: object): FakeReply {
  const more = parameters === undefined ? {} : { parameters };
  return { status, body: { ok: false, error_code: status, description, ...more } };
}

async function runMethod(
  world: World,
  queue: UpdateQueue,
  options: MethodOptions,
  method: string,
  input: CallInput,
): Promise<unknown> {
  if (isFileMethod(method)) return sendFile(world, method, input, options);
  const { fields } = input;
  switch (method) {
    case 'getUpdates':
      return queue.take(fields);
    case 'sendMessage':
      return sendText(world, input, options);
    case 'sendMediaGroup': {
      const { failAlbumAt } = options;
      options.failAlbumAt = undefined;
      return sendAlbum(world, input, options, failAlbumAt);
    }
    case 'editMessageText':
      return editText(world, input, options);
    case 'sendChatAction': {
      world.actions.push(requireTarget(world, fields));
      return true;
    }
    case 'answerCallbackQuery':
      return answerPress(world, fields, options.pressMs ?? PRESS_MS);
    case 'getFile':
      return fileOf(world, String(fields.file_id));
    default:
      return runSetting(world, queue, method, fields);
  }
}

function runSetting(world: World, queue: UpdateQueue, method: string, fields: ApiObject): unknown {
  switch (method) {
    case 'getMe': {
      const { canJoinGroups, canReadAll } = world.settings;
      return { ...world.bot, can_join_groups: canJoinGroups, can_read_all_group_messages: canReadAll };
    }
    case 'getWebhookInfo':
      return { url: world.webhook?.url ?? '', pending_update_count: world.updates.length };
    case 'setWebhook':
      if (Array.isArray(fields.allowed_updates)) world.allowed = fields.allowed_updates as string[];
      queue.setWebhook({ url: String(fields.url), secret: String(fields.secret_token ?? '') });
      return true;
    case 'deleteWebhook':
      queue.setWebhook(undefined);
      return true;
    case 'setMyCommands':
      world.commands = checkCommands(fields.commands as readonly ApiObject[]);
      return true;
    default:
      throw new BotApiError(404, 'Not Found: method not found');
  }
}

function checkCommands(commands: readonly ApiObject[]): readonly ApiObject[] {
  if (commands.length > 100) throw refused('too many commands');
  for (const { command, description } of commands) {
    if (!/^[a-z0-9_]{1,32}$/.test(String(command))) throw refused('BOT_COMMAND_INVALID');
    if (String(description ?? '').length < 1 || String(description).length > 256)
      throw refused('BOT_COMMAND_DESCRIPTION_INVALID');
  }
  return commands;
}

function answerPress({ presses, answers }: World, fields: ApiObject, pressMs: number): true {
  const id = String(fields.callback_query_id);
  const at = presses.get(id);
  const text = String(fields.text ?? '');
  if (at === undefined || performance.now() - at > pressMs)
    throw refused('query is too old and response timeout expired or query ID is invalid');
  if (text.length > 200) throw refused('MESSAGE_TOO_LONG');
  presses.delete(id);
  answers.push({ id, text, alert: fields.show_alert === true });
  return true;
}

function fileOf({ files }: World, id: string): ApiObject {
  const file = files.get(id);
  if (file === undefined) throw refused('wrong file_id or the file is temporarily unavailable');
  if (file.size > DOWNLOAD_BYTES) throw refused('file is too big');
  return { file_id: id, file_unique_id: `u${id}`, file_size: file.size, file_path: file.path };
}

function fileReply({ files }: World, path: string): FakeReply {
  const file = [...files.values()].find((one) => one.path === path);
  return file === undefined ? failure(404, 'Not Found') : { status: 200, body: file.bytes };
}
