/** The runner of the npm package `agentproc`, as far as it is measured; the package declares only its agent side. */
declare module 'agentproc/src/runner.js' {
  export function run(
    profile: { readonly command: string; readonly args: readonly string[]; readonly cwd: string },
    options: { readonly message: string; readonly onPartial: () => void },
  ): Promise<{ readonly exitCode: number }>;
}
