import { attachmentFrom, nameOf, urlOf } from '../../agentproc-common/attachments.ts';
import { cutToBytes } from '../../agentproc-common/limits.ts';
import { sessionName } from '../../agentproc-common/session.ts';
import { isObject, parseJson } from '../../framing/json.ts';
import { STRING_BYTES } from '../../framing/limits.ts';
import { utf8Length } from '../../framing/utf8.ts';
import type { Attachment, Turn } from '../../model/turn.ts';
import type { AgentprocSettings } from './settings.ts';

type Environment = Readonly<Record<string, string | undefined>>;

const VERSION = '0.1';
const MESSAGE_BYTES = STRING_BYTES - utf8Length('AGENT_MESSAGE=');

/** Variables whose absence has a meaning, so that a profile must not set them. */
const SOMETIMES = ['AGENT_MESSAGE_TRUNCATED', 'AGENT_IMAGE_URL', 'AGENT_FILE_URL', 'AGENT_ATTACHMENTS'];

/** Every variable in which this dialect hands over a turn. */
export const TURN_VARIABLES: readonly string[] = [
  'AGENT_MESSAGE',
  'AGENT_SESSION_ID',
  'AGENT_SESSION_NAME',
  'AGENT_FROM_USER',
  'AGENT_STREAMING',
  'AGENT_PROTOCOL_VERSION',
  ...SOMETIMES,
];

/**
 * The variables of a profile without those in `SOMETIMES`, which would announce attachments that this turn does not
 * have.
 */
export function withoutTurn(env: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !SOMETIMES.includes(name)));
}

/** The variables that hand a turn over. */
export function turnVariables(turn: Turn, settings: AgentprocSettings): Record<string, string> {
  return {
    ...messageVariables(turn.text, settings.stdin === 'message'),
    AGENT_SESSION_ID: turn.session.agentId ?? '',
    AGENT_SESSION_NAME: sessionName(turn.session),
    AGENT_FROM_USER: turn.sender ?? '',
    AGENT_STREAMING: settings.streaming ? '1' : '0',
    AGENT_PROTOCOL_VERSION: VERSION,
    ...attachmentVariables(turn.attachments.filter((one) => urlOf(one) !== '')),
  };
}

/** Whether a process was started by a host of this dialect. */
export function holdsTurn(environment: Environment): boolean {
  return environment.AGENT_MESSAGE !== undefined || environment.AGENT_PROTOCOL_VERSION !== undefined;
}

/** The attachments in the environment: `AGENT_ATTACHMENTS` if it is a list, else the single variables. */
export function readAttachments(environment: Environment): Attachment[] {
  const listed = readList(environment.AGENT_ATTACHMENTS);
  if (listed !== undefined) return listed;
  const { AGENT_IMAGE_URL: image, AGENT_FILE_URL: file } = environment;
  return [
    ...(image ? [attachmentFrom('image', image, undefined)] : []),
    ...(file ? [attachmentFrom('file', file, undefined)] : []),
  ];
}

/** `AGENT_MESSAGE` is cut only where stdin has the whole text. */
function messageVariables(text: string, onStdin: boolean): Record<string, string> {
  if (!onStdin || utf8Length(text) <= MESSAGE_BYTES) return { AGENT_MESSAGE: text };
  return { AGENT_MESSAGE: cutToBytes(text, MESSAGE_BYTES), AGENT_MESSAGE_TRUNCATED: '1' };
}

function attachmentVariables(attachments: readonly Attachment[]): Record<string, string> {
  if (attachments.length === 0) return {};
  const image = onlyUrl(attachments, 'image');
  const file = onlyUrl(attachments, 'file');
  const list = attachments.map((one) => ({ type: one.kind, url: urlOf(one), name: nameOf(one) }));
  return {
    ...(image === undefined ? {} : { AGENT_IMAGE_URL: image }),
    ...(file === undefined ? {} : { AGENT_FILE_URL: file }),
    AGENT_ATTACHMENTS: JSON.stringify(list),
  };
}

function onlyUrl(attachments: readonly Attachment[], kind: 'image' | 'file'): string | undefined {
  const [only, second] = attachments.filter((one) => one.kind === kind);
  return only === undefined || second !== undefined ? undefined : urlOf(only);
}

function readList(source: string | undefined): Attachment[] | undefined {
  const parsed = source === undefined ? undefined : parseJson(source);
  if (!parsed?.ok || !Array.isArray(parsed.value)) return undefined;
  return parsed.value.flatMap((entry) => {
    if (!isObject(entry)) return [];
    const { type, url, name } = entry;
    const complete = typeof type === 'string' && typeof url === 'string' && type !== '' && url !== '';
    return complete ? [attachmentFrom(type, url, name)] : [];
  });
}
