import { configFlags, hasWord, PLAIN_OUTPUT, withWords } from '../../codex-common/flags.ts';
import { withSchemaInWords } from '../../codex-common/schema.ts';
import type { Launch, LaunchContext } from '../../contract/host-side.ts';
import type { JsonObject, JsonValue } from '../../model/json.ts';
import { addressOf } from '../../model/media.ts';
import type { Attachment, Turn } from '../../model/turn.ts';
import type { CodexExecSettings } from './settings.ts';

const SUBCOMMAND = 'exec';

/** Without the second flag the program refuses a directory that is no git repository. */
const WIRE_FLAGS = ['--json', '--skip-git-repo-check'];

/** How the program is started for a turn. The message comes on stdin, where no list of processes shows it. */
export function launchExec(settings: CodexExecSettings, _context: LaunchContext, turn?: Turn): Launch {
  const { command, config, env, cwd, resume, ephemeral } = settings;
  const session = turn?.session.agentId ?? resume;
  const images = (turn?.attachments ?? []).filter(isImage).map(({ path }) => `--image=${path}`);
  const words = [
    ...(hasWord(command, SUBCOMMAND) ? [] : [SUBCOMMAND]),
    ...WIRE_FLAGS,
    ...(ephemeral ? ['--ephemeral'] : []),
    ...configFlags({ ...settingKeys(settings), ...config }),
    ...(session === undefined ? [] : ['resume']),
    ...images,
    // A thread that begins with a dash is no flag.
    ...(session === undefined ? ['-'] : ['--', session, '-']),
  ];
  return {
    command: withWords(command, words),
    env: { ...PLAIN_OUTPUT, ...env },
    ...(cwd === undefined ? {} : { cwd }),
  };
}

/** Settings as keys of `config.toml`, which every subcommand takes. */
function settingKeys(settings: CodexExecSettings): JsonObject {
  const { model, modelProvider, effort, approvalPolicy, sandbox, addDirs } = settings;
  return {
    ...key('model', model),
    ...key('model_provider', modelProvider),
    ...key('model_reasoning_effort', effort),
    ...key('approval_policy', approvalPolicy),
    ...key('sandbox_mode', sandbox),
    ...key('sandbox_workspace_write.network_access', settings.networkAccess),
    ...key('sandbox_workspace_write.writable_roots', addDirs.length === 0 ? undefined : addDirs),
    ...key('developer_instructions', settings.developerInstructions),
  };
}

function key(name: string, value: JsonValue | undefined): JsonObject {
  return value === undefined ? {} : { [name]: value };
}

function isImage({ kind, path }: Attachment): boolean {
  return kind === 'image' && path?.startsWith('/') === true;
}

/** The message on stdin. Files that are no images are named, because the program can open them. */
export function writeMessage(turn: Turn): string {
  const { text, attachments } = withSchemaInWords(turn);
  const named = attachments
    .filter((file) => !isImage(file) && addressOf(file) !== '')
    .map((file) => `Attached ${file.kind}: ${addressOf(file)}`);
  return [text, ...named].filter((part) => part !== '').join('\n\n');
}
