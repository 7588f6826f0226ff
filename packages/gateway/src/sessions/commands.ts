/** What people can say to the gateway itself. */
const COMMANDS = {
  stop: 'stops the running turn and drops what waits',
  new: 'ends this session and begins a new one',
  status: 'tells what is going on',
  agent: 'NAME lets another agent answer from now on',
  help: 'shows this list',
} as const;

type CommandName = keyof typeof COMMANDS;

export interface Command {
  readonly name: CommandName;
  readonly argument: string;
}

/**
 * Reads a command. `//help` is not one: the agent gets `/help`, for it may have commands of its own. A channel's way of
 * naming who is meant (`/stop@name`) is left out.
 */
export function readCommand(text: string): Command | undefined {
  const match = /^\/([a-z]+)(?:@\S+)?(?:\s+(.*))?$/is.exec(text.trim());
  const name = match?.[1]?.toLowerCase() ?? '';
  if (!Object.hasOwn(COMMANDS, name)) return undefined;
  return { name: name as CommandName, argument: match?.[2]?.trim() ?? '' };
}

/** What the agent is to see of a text that is no command. */
export function textForAgent(text: string): string {
  return text.startsWith('//') ? text.slice(1) : text;
}

export function helpText(): string {
  const lines = Object.entries(COMMANDS).map(([name, what]) => `/${name} ${what}`);
  return [...lines, 'Begin with // to give a command to the agent instead.'].join('\n');
}
