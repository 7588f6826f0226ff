import { isWild } from '../tools/pattern/wildcard.ts';
import type { Policy } from './policy.ts';
import { appliesTo, type Rule, ruleText } from './rule.ts';

/** Programs that start other programs named by an argument or by a file in the working directory. */
const LAUNCHERS: ReadonlySet<string> = new Set(
  [
    'git hg svn gh',
    'npm npx pnpm pnpx yarn bun bunx deno node tsx ts-node corepack',
    'python python3 pip pipx uv uvx poetry tox ruby gem bundle rake perl php composer lua awk gawk mawk sed',
    'sh bash dash zsh fish ksh busybox eval exec env command builtin nohup nice time timeout setsid stdbuf watch',
    'xargs parallel find fd rg make cmake ninja just cargo go mvn gradle gradlew dotnet swift bazel meson',
    'sudo doas su ssh scp rsync docker podman kubectl nsenter chroot systemd-run crontab at screen tmux script',
    'vi vim nvim emacs ed less more man tar zip git-shell tclsh expect gdb strace ltrace source .',
  ]
    .join(' ')
    .split(' '),
);

/** One warning for each allow rule whose program is in `LAUNCHERS`: its arguments can name any other program. */
export function launcherWarnings({ rules }: Policy): string[] {
  return rules.flatMap((rule) => {
    if (rule.decision !== 'allow' || rule.pattern === undefined || !appliesTo(rule, { name: 'bash' }))
      return [];
    const [word = '', ...more] = rule.pattern.split(' ');
    const program = word.slice(word.lastIndexOf('/') + 1);
    if (!isWild(program) && !LAUNCHERS.has(program)) return [];
    return [warningOf(rule, program, isWild(program) || more.some(isWild))];
  });
}

function warningOf(rule: Rule, program: string, open: boolean): string {
  if (isWild(program)) return `The rule ${ruleText(rule)} allows every program whose name fits.`;
  const why = open
    ? `its arguments can name any other program, such as git -c alias.x='!…' x. Allow whole commands instead`
    : 'what it runs may stand in files that the agent can write';
  return `The rule ${ruleText(rule)} allows ${program}, which starts other programs: ${why}.`;
}
