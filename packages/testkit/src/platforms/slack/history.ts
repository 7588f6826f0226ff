import { type Fields, openChannel } from './posts.ts';
import { SlackProblem, type StoredMessage, type Workspace } from './workspace.ts';

/** `conversations.history`: the newest first, without the replies in threads. */
export function readHistory(workspace: Workspace, fields: Fields): Fields {
  const channel = openChannel(workspace, fields.channel);
  const all = workspace.messages.filter(
    ({ channel: at, ts, thread_ts: thread }) => at === channel && (thread === undefined || thread === ts),
  );
  return pageOf(all.reverse(), fields);
}

/** `conversations.replies`: the root of a thread and its replies, the oldest first. */
export function readReplies(workspace: Workspace, fields: Fields): Fields {
  const channel = openChannel(workspace, fields.channel);
  const all = workspace.messages.filter(
    ({ channel: at, ts, thread_ts: thread }) => at === channel && (ts === fields.ts || thread === fields.ts),
  );
  if (all.length === 0) throw new SlackProblem('thread_not_found');
  return pageOf(all, fields);
}

function pageOf(messages: readonly StoredMessage[], fields: Fields): Fields {
  const { oldest = '0', limit = 100, cursor = 0, include_all_metadata: withMetadata } = fields;
  const found = messages.filter(({ ts }) => Number(ts) > Number(oldest));
  const [from, count] = [Number(cursor), Number(limit)];
  const next = from + count;
  return {
    messages: found.slice(from, next).map((one) => shownOf(one, String(withMetadata) === 'true')),
    has_more: next < found.length,
    response_metadata: { next_cursor: next < found.length ? String(next) : '' },
  };
}

function shownOf({ metadata, files, channel: _channel, ...message }: StoredMessage, withMetadata: boolean) {
  return {
    type: 'message',
    ...message,
    files: files.map(({ id, name }) => ({ id, name })),
    ...(withMetadata && metadata !== undefined ? { metadata } : {}),
  };
}
