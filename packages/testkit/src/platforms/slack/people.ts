import type { Dispatch, SlackEnvelope } from './dispatch.ts';
import type { FileStore } from './files.ts';
import type { OpenView } from './web-api.ts';
import {
  readPlace,
  type SlackBlock,
  type SlackButton,
  type StoredFile,
  type StoredMessage,
  type Workspace,
} from './workspace.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Sender and place of a message, with files. */
export interface SlackSpeaker {
  readonly place?: string;
  readonly person?: string;
  readonly files?: readonly (Pick<StoredFile, 'name' | 'bytes' | 'mimetype' | 'answers'> & {
    /** Overrides fields of `files[]`, for example `mode` or `file_access`. */
    readonly event?: Fields;
  })[];
  /** Overrides fields of the event, for example `subtype`. */
  readonly event?: Fields;
}

/** Actions of people in a workspace. */
export interface SlackPeople {
  /** A person writes; gives the `ts`. With `twin`, `app_mention` comes beside `message`. */
  say(text: string, from?: SlackSpeaker & { readonly twin?: boolean }): string;
  /** Gives any event; settles when it is acknowledged or given up. */
  event(event: Fields): Promise<SlackEnvelope>;
  press(platformId: string, label: string, from?: SlackSpeaker): Promise<SlackEnvelope>;
  /** Types `/plugboard TEXT`. */
  type(text: string, from?: SlackSpeaker): Promise<SlackEnvelope>;
  /** Sends `view_submission`. */
  submit(view: OpenView, text: string, from?: SlackSpeaker): Promise<SlackEnvelope>;
}

/** Life of a `trigger_id`. */
const TRIGGER_MS = 3_000;

export interface PeopleParts {
  readonly files: FileStore;
  readonly dispatch: Dispatch;
  readonly home: { readonly place: string; readonly person: string };
  readonly command: string;
}

export function createPeople(
  workspace: Workspace,
  { files, dispatch, home, command }: PeopleParts,
): SlackPeople {
  const { team, app: api_app_id } = workspace;
  const event = (fields: Fields): Promise<SlackEnvelope> =>
    dispatch.give('events_api', {
      ...{ type: 'event_callback', team_id: team, api_app_id, event: fields },
      ...{ event_id: workspace.newId('Ev'), event_time: Math.floor(Date.now() / 1000) },
    });
  const newTrigger = (): string => {
    const id = workspace.newId('trigger.');
    workspace.triggers.set(id, performance.now() + TRIGGER_MS);
    return id;
  };
  const interact = (fields: Fields, { person = home.person }: SlackSpeaker): Promise<SlackEnvelope> =>
    dispatch.give('interactive', {
      ...{ team: { id: team }, api_app_id, trigger_id: newTrigger() },
      ...{ user: { id: person, username: person, team_id: team }, ...fields },
    });
  return {
    event,
    say(text, { place = home.place, person = home.person, twin = false, ...more } = {}) {
      const ts = workspace.newTs();
      const message = messageEvent(workspace, files, { text, place, person, ts, more });
      void event(message);
      if (twin) void event({ ...message, type: 'app_mention', channel_type: undefined });
      return ts;
    },
    press(platformId, label, from = {}) {
      const message = messageWith(workspace, platformId, label, from.place);
      const action = buttonOf([...message.blocks, ...(workspace.oldBlocks.get(platformId) ?? [])], label);
      const { channel, ts, thread_ts: thread } = message;
      const container = { type: 'message', message_ts: ts, channel_id: channel, is_ephemeral: false };
      return interact(
        {
          type: 'block_actions',
          channel: { id: channel, name: 'fake' },
          container: thread === undefined ? container : { ...container, thread_ts: thread },
          message: { ts, text: message.text, thread_ts: thread },
          response_url: 'https://hooks.slack.com/actions/fake',
          actions: [{ ...action, block_id: 'b', action_ts: workspace.newTs() }],
        },
        from,
      );
    },
    type: (text, { place = home.place, person = home.person } = {}) =>
      dispatch.give('slash_commands', {
        ...{ command, text, user_id: person, user_name: person, team_id: team, api_app_id },
        ...{
          channel_id: readPlace(place).channel,
          channel_name: place.startsWith('D') ? 'directmessage' : 'general',
        },
        ...{ trigger_id: newTrigger(), response_url: 'https://hooks.slack.com/commands/fake' },
      }),
    submit(view, text, from = {}) {
      const [input] = view.blocks;
      const { block_id: block = '', element } = input ?? {};
      const values = { [block]: { [element?.action_id ?? '']: { type: 'plain_text_input', value: text } } };
      return interact({ type: 'view_submission', view: { ...view, state: { values } } }, from);
    },
  };
}

interface Said {
  readonly text: string;
  readonly place: string;
  readonly person: string;
  readonly ts: string;
  readonly more: SlackSpeaker;
}

/** The `message` event, with the text as Slack escapes it. */
function messageEvent(
  workspace: Workspace,
  store: FileStore,
  { text, place, person, ts, more }: Said,
): Fields {
  const { channel, thread } = readPlace(place);
  const files = (more.files ?? []).map(({ event, ...given }) => {
    const file: StoredFile = { ...given, id: workspace.newId('F') };
    workspace.files.set(file.id, file);
    return { ...store.describe(file), ...event };
  });
  return {
    type: 'message',
    ...{ channel, channel_type: channelType(channel), user: person, ts, event_ts: ts },
    text: escapeText(text),
    client_msg_id: workspace.newId('m'),
    ...(thread === undefined ? {} : { thread_ts: thread, ...rootAuthor(workspace, channel, thread) }),
    ...(files.length === 0 ? {} : { files, subtype: 'file_share' }),
    ...more.event,
  };
}

function channelType(channel: string): string {
  if (channel.startsWith('D')) return 'im';
  return channel.startsWith('G') ? 'group' : 'channel';
}

function rootAuthor({ messages }: Workspace, channel: string, thread: string): Fields {
  const root = messages.find((one) => one.channel === channel && one.ts === thread);
  return root?.user === undefined ? {} : { parent_user_id: root.user };
}

/** Leaves mentions like `<@U1>`. */
function escapeText(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replace(/<(?![@#!])/g, '&lt;')
    .replace(/(<[@#!][^<>]*>)|>/g, (_all, mention?: string) => mention ?? '&gt;');
}

function messageWith({ messages }: Workspace, ts: string, label: string, place?: string): StoredMessage {
  const channel = place === undefined ? undefined : readPlace(place).channel;
  const found = messages.find((one) => one.ts === ts && (channel ?? one.channel) === one.channel);
  if (found === undefined) throw new Error(`There is no message ${ts} with a button "${label}".`);
  return found;
}

function buttonOf(blocks: readonly SlackBlock[], label: string): SlackButton {
  const buttons = blocks.flatMap(({ elements = [] }) => elements);
  const found = buttons.find(({ text }) => text?.text === label);
  if (found === undefined) throw new Error(`There is no button "${label}" among ${JSON.stringify(buttons)}.`);
  return found;
}
