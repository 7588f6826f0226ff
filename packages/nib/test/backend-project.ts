import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { temporaryDirectory } from '@plugboard/testkit';
import {
  type CommandOptions,
  type CommandResult,
  createTestProject,
  type TestProject,
} from './test-project.ts';

/** A request that the backend has received. */
export type Got = Readonly<Record<string, unknown>> & { readonly operation: string };

/** A project with a backend that a test writes as a shell script. */
export interface BackendProject extends TestProject {
  /** The directory of the backend, which is on the PATH. */
  readonly tools: string;
  /** Puts a program on the PATH. */
  tool(name: string, script: string): string;
  /** The requests that the backend has recorded with `cat >> "$GOT"; echo >> "$GOT"`. */
  got(): readonly Got[];
}

/** Lines of a script that read the request, record it, and extract the operation. */
export const READ =
  'request=$(cat); printf "%s\\n" "$request" >> "$GOT"; operation=$(printf "%s" "$request" | sed \'s/.*"operation":"\\([a-z-]*\\)".*/\\1/\')';

/** A script that runs `first` and answers every text operation with `text`. */
export function createAnswerScript(text: string, first = ':'): string {
  return `${READ}\n${first}\nprintf '{"type":"success","operation":"%s","text":%s}\\n' "$operation" ${quoted(JSON.stringify(text))}`;
}

/** A script that answers every request with these bytes. */
export function createByteScript(text: string): string {
  return `cat > /dev/null\nprintf %s ${quoted(text)}`;
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** A small project and, as `nib-agent-fake`, the backend it uses. */
export function createBackendProject(
  script: string,
  files: Readonly<Record<string, string>> = {},
): BackendProject {
  const directory = temporaryDirectory();
  const world = createTestProject(files);
  const tools = join(directory.path, 'tools');
  const got = join(directory.path, 'got');
  mkdirSync(tools);
  const tool = (name: string, text: string): string => {
    const file = join(tools, name);
    writeFileSync(file, text.startsWith('#!') ? text : `#!/bin/sh\n${text}\n`);
    chmodSync(file, 0o755);
    return file;
  };
  tool('nib-agent-fake', script);
  writeFileSync(got, '');
  const variables = {
    PATH: `${tools}${delimiter}${process.env.PATH}`,
    NIB_AGENT: 'fake',
    GOT: got,
    GIT_CONFIG_NOSYSTEM: '1',
  };
  return {
    ...world,
    tools,
    tool,
    nib: (line: string | readonly string[], given: CommandOptions = {}): Promise<CommandResult> =>
      world.nib(line, { ...given, variables: { ...variables, ...given.variables } }),
    got: () =>
      readFileSync(got, 'utf8')
        .split('\n')
        .filter((line) => line !== '')
        .map((line): Got => JSON.parse(line)),
    [Symbol.dispose]() {
      world[Symbol.dispose]();
      directory[Symbol.dispose]();
    },
  };
}
