import type { Env } from '../env.ts';

/** The project's `nib.*` settings of git as variables, which git reads too: the copy of a project has no repository. */
export async function gitSettings(env: Env, root: string): Promise<Record<string, string>> {
  const { exitCode, stdout } = await env.run(['git', 'config', '--null', '--get-regexp', '^nib\\.'], {
    cwd: root,
    input: '',
  });
  if (exitCode !== 0) return {};
  const variables: Record<string, string> = {};
  let count = Number(env.variables.GIT_CONFIG_COUNT ?? 0) || 0;
  for (const entry of stdout.split('\0').filter((one) => one !== '')) {
    const [key = '', ...value] = entry.split('\n');
    variables[`GIT_CONFIG_KEY_${count}`] = key;
    variables[`GIT_CONFIG_VALUE_${count}`] = value.join('\n');
    count += 1;
  }
  return { ...variables, GIT_CONFIG_COUNT: String(count) };
}
