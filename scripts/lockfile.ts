import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** What npm writes down about one installed package. */
export interface LockedPackage {
  version?: string;
  dev?: boolean;
  optional?: boolean;
  os?: string[];
  cpu?: string[];
  libc?: string[];
  resolved?: string;
  optionalDependencies?: Record<string, string>;
}

export interface Lockfile {
  readonly packages: Record<string, LockedPackage>;
}

/** A package that another asks for, where it can be had, and that the file does not mention. */
interface Missing {
  readonly name: string;
  readonly version: string;
  readonly wantedBy: LockedPackage;
}

const SYSTEMS = [
  'android',
  'darwin',
  'freebsd',
  'linux',
  'netbsd',
  'openbsd',
  'openharmony',
  'sunos',
  'win32',
  'aix',
];
const PROCESSORS = [
  'arm64',
  'arm',
  'x64',
  'ia32',
  'loong64',
  'mips64el',
  'ppc64',
  'riscv64',
  's390x',
  'wasm32',
];

/**
 * The packages for other systems that the file leaves out. npm writes them down only when it can see them at the time,
 * and `npm ci` then refuses the file.
 */
export function missingPackages({ packages }: Lockfile): Missing[] {
  return Object.entries(packages).flatMap(([path, wantedBy]) =>
    Object.entries(wantedBy.optionalDependencies ?? {})
      .filter(([name]) => !isLocked(packages, path, name))
      .map(([name, version]) => ({ name, version, wantedBy })),
  );
}

function isLocked(packages: Record<string, LockedPackage>, path: string, name: string): boolean {
  const places = path
    .split('/node_modules/')
    .map((_, depth, parts) => parts.slice(0, depth + 1).join('/node_modules/'));
  return [...places, ''].some((place) => join(place, 'node_modules', name) in packages);
}

/** An entry for a package of another system, which is then skipped here without being looked at. */
function entryFor({ name, version, wantedBy }: Missing): LockedPackage {
  const words = name.split(/[-/]/);
  const os = SYSTEMS.filter((system) => words.includes(system));
  const cpu = PROCESSORS.filter((processor) => words.includes(processor));
  const libc = words.includes('musl') ? ['musl'] : words.includes('gnu') ? ['glibc'] : [];
  return {
    version: version.replace(/^[\^~]/, ''),
    ...(cpu.length > 0 ? { cpu } : {}),
    ...(wantedBy.dev === true ? { dev: true } : {}),
    ...(libc.length > 0 ? { libc } : {}),
    optional: true,
    ...(os.length > 0 ? { os } : {}),
  };
}

/** Completes the file in place. */
function completeLockfile(file: string): number {
  const lock = JSON.parse(readFileSync(file, 'utf8')) as Lockfile;
  const missing = missingPackages(lock);
  for (const one of missing) lock.packages[`node_modules/${one.name}`] = entryFor(one);
  const ordered = Object.fromEntries(Object.entries(lock.packages).sort(([a], [b]) => (a < b ? -1 : 1)));
  writeFileSync(file, `${JSON.stringify({ ...lock, packages: ordered }, null, 2)}\n`);
  return missing.length;
}

if (import.meta.main) {
  const added = completeLockfile(join(import.meta.dirname, '..', 'package-lock.json'));
  process.stdout.write(`${added} packages for other systems added to package-lock.json\n`);
}
