/** Slash commands that the gateway answers itself. */
export const COMMANDS = {
  start: 'says hello',
  stop: 'stops the running turn and drops what waits',
  new: 'ends this session and begins a new one',
  status: 'tells what is going on',
  agent: 'NAME lets another agent answer from now on',
  set: 'NAME VALUE sets an option of the agent, such as its model; alone it lists them',
  help: 'shows this list',
} as const;

type CommandName = keyof typeof COMMANDS;

export interface Command {
  readonly name: CommandName;
  readonly argument: string;
}

/**
 * Parses a slash command. `//help` is not one: the agent gets `/help`, since it may have commands too. The bot name
 * that a channel appends (`/stop@name`) is dropped.
 */
export function readCommand(text: string): Command | undefined {
  const match = /^\/([a-z]+)(?:@\S+)?(?:\s+(.*))?$/is.exec(text.trim());
  const name = match?.[1]?.toLowerCase() ?? '';
  if (!Object.hasOwn(COMMANDS, name)) return undefined;
  return { name: name as CommandName, argument: match?.[2]?.trim() ?? '' };
}

/** Text for the agent: `//help` loses its first slash, other text is unchanged. */
export function textForAgent(text: string): string {
  return text.startsWith('//') ? text.slice(1) : text;
}

/** `/pair` is obeyed before a message comes to a session, and by owners of a channel alone. */
const PAIR = '/pair CODE lets in the person who was given the code';

export function helpText(mayPair = false): string {
  const lines = Object.entries(COMMANDS).map(([name, what]) => `/${name} ${what}`);
  if (mayPair) lines.push(PAIR);
  return [...lines, 'Begin with // to give a command to the agent instead.'].join('\n');
}
