import type { CommonSettings } from '../contract/dialect.ts';
import type { CommandSpec, Launch, LaunchContext, Refusal } from '../contract/host-side.ts';
import { fillTemplate, mentions, type Values } from './placeholders.ts';

/** The templates of a profile, filled in. */
export type Program = Pick<Launch, 'command' | 'env' | 'cwd'>;

/** Fills in command, variables and working directory; `${VAR}` is known in the values of variables only. */
export function fillProgram(
  settings: CommonSettings & { readonly envAllowlist?: readonly string[] },
  values: Values,
  context: LaunchContext,
): Program | Refusal {
  const { command, cwd } = settings;
  if ('shell' in command && mentions(command.shell, Object.keys(values))) {
    const message = 'A line for the shell takes no placeholders: write the command as a list of arguments.';
    return { refused: { code: 'unsafe-template', message } };
  }
  const known = allowed(context.environment, settings.envAllowlist);
  const env = Object.entries(settings.env).map(([name, value]) => [name, fillTemplate(value, values, known)]);
  return {
    command: fillCommand(command, values),
    env: Object.fromEntries(env) as Record<string, string>,
    ...(cwd === undefined ? {} : { cwd: fillDirectory(cwd, values, context) }),
  };
}

function allowed(
  environment: LaunchContext['environment'],
  names: readonly string[] | undefined,
): LaunchContext['environment'] {
  return names === undefined
    ? environment
    : Object.fromEntries(names.map((name) => [name, environment[name]]));
}

/** Calls `fillTemplate` for each argument, so that a value with spaces or quotes stays one argument. */
function fillCommand(command: CommandSpec, values: Values): CommandSpec {
  return 'shell' in command ? command : { argv: command.argv.map((token) => fillTemplate(token, values)) };
}

/** A `~` counts in the template alone, as a directory of the host's user. */
function fillDirectory(cwd: string, values: Values, context: LaunchContext): string {
  const home = context.environment.HOME;
  const atHome = home !== undefined && (cwd === '~' || cwd.startsWith('~/'));
  return atHome ? home + fillTemplate(cwd.slice(1), values) : fillTemplate(cwd, values);
}
