import { basename } from 'node:path';
import { isWithin, realPath } from '../tools/files/real-path.ts';
import { compilePathPattern, matchesPath, segmentsOf } from '../tools/pattern/path-pattern.ts';
import { isGatewayFile } from './gateway-folder.ts';

/** Below the home directory: keys and tokens of the user. */
const IN_HOME: readonly string[] = [
  ...[
    '.ssh',
    '.gnupg',
    '.password-store',
    '.local/share/keyrings',
    '.vault-token',
    '.netrc',
    '.pgpass',
    '.my.cnf',
    '.mylogin.cnf',
  ],
  ...[
    '.aws',
    '.azure',
    '.kube',
    '.oci',
    '.aliyun',
    '.config/gcloud',
    '.config/doctl',
    '.cloudflared',
    '.boto',
    '.s3cfg',
    '.passwd-s3fs',
  ],
  ...[
    '.terraform.d/credentials.tfrc.json',
    '.terraformrc',
    '.config/rclone',
    '.config/sops',
    '.config/age',
    '.config/op',
  ],
  ...[
    '.docker/config.json',
    '.config/containers/auth.json',
    '.config/gh',
    '.config/hub',
    '.config/glab-cli',
    '.git-credentials',
    '.config/git/credentials',
  ],
  ...[
    '.npmrc',
    '.yarnrc',
    '.yarnrc.yml',
    '.pypirc',
    '.cargo/credentials',
    '.cargo/credentials.toml',
    '.gem/credentials',
    '.bundle/config',
  ],
  ...[
    '.m2/settings.xml',
    '.m2/settings-security.xml',
    '.gradle/gradle.properties',
    '.composer/auth.json',
    '.config/composer/auth.json',
  ],
  // Browsers and mail: passwords and cookies.
  ...[
    '.mozilla',
    '.thunderbird',
    '.config/google-chrome',
    '.config/chromium',
    '.config/BraveSoftware',
    '.config/microsoft-edge',
  ],
  // Keys of agents, the memory of nuum, and the store and token of the gateway.
  ...[
    '.claude/.credentials.json',
    '.claude.json',
    '.codex/auth.json',
    '.gemini/oauth_creds.json',
    '.config/nuum/config.yaml',
    '.local/share/nuum',
  ],
  '.local/state/plugboard',
];

/** Histories of shells, databases and pagers, which hold passwords that were typed. */
const HISTORY = /^\.(\w+_history|lesshst|viminfo)$/;

/** Private keys and stores of keys, and the operator's token and store of a gateway, which `--data` may put anywhere. */
const KEY_FILE =
  /(^id_(rsa|dsa|ecdsa|ed25519)|^gateway\.json|^plugboard\.db(-wal|-shm)?|\.(key|p12|pfx|jks|keystore|kdbx))$/;

/** `environ` and `mem` of a process hold the API keys it was started with, those of nuum included. */
const ANYWHERE = ['/proc/*/{environ,mem}', '/proc/*/task/*/{environ,mem}', '/etc/{shadow,gshadow}*'].map(
  (pattern) => compilePathPattern(pattern),
);

/** The places of `IN_HOME`, and where those lead that are symbolic links: dotfiles are often kept elsewhere. */
export function secretPlaces(home: string | undefined): readonly string[] {
  if (home === undefined) return [];
  const places = IN_HOME.map((name) => `${home}/${name}`);
  return [...new Set([...places, ...places.map(realPathIfKnown)])];
}

function realPathIfKnown(path: string): string {
  try {
    return realPath(path);
  } catch {
    return path;
  }
}

/** Whether reading a path needs a rule that allows it. Both paths must be real; `home` may be undefined. */
export function isSecret(
  path: string,
  home: string | undefined,
  directory: string,
  places = secretPlaces(home),
): boolean {
  if (places.some((place) => isWithin(path, place))) return true;
  if (ANYWHERE.some((pattern) => matchesPath(pattern, segmentsOf(path)))) return true;
  if (isGatewayFile(path)) return true;
  const name = basename(path);
  if (isWithin(path, directory)) return false;
  if (home !== undefined && HISTORY.test(name) && isWithin(path, home)) return true;
  return isEnvironmentFile(name) || KEY_FILE.test(name);
}

// `.env.example` holds no secrets.
function isEnvironmentFile(name: string): boolean {
  return /^\.env(\.|$)/.test(name) && !/\.(example|sample|template|dist)$/.test(name);
}
