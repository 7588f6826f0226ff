import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export const ROOT: string = join(import.meta.dirname, '..', '..');

/** What is published, by folder. */
export const COMPILED = ['protocol', 'client', 'process', 'host', 'check', 'store', 'gateway'] as const;
/** Those whose programs are installed as commands. */
export const PROGRAMS = ['cli', 'nib', 'nuum'] as const;
/** Those that are imported. */
export const LIBRARIES = [...COMPILED, 'agent'] as const;
export const PUBLISHED = [...LIBRARIES, ...PROGRAMS] as const;

/** Packages that are never published: their code is built into those that import them. */
export const PRIVATE = ['sqlite'] as const;

export type PackageFolder = (typeof PUBLISHED)[number];
export type ProgramFolder = (typeof PROGRAMS)[number];

/** Packages into which everything is bundled: they need nothing at run time. */
export const BUNDLED: ReadonlySet<PackageFolder> = new Set<PackageFolder>(['agent', ...PROGRAMS]);

/** The part of a package.json that is read here. */
export interface SourceManifest {
  readonly name: string;
  readonly version: string;
  readonly license: string;
  readonly description?: string;
  readonly exports?: Readonly<Record<string, string>>;
  readonly bin?: Readonly<Record<string, string>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional: boolean }>>;
}

export function sourceOf(folder: PackageFolder): string {
  return join(ROOT, 'packages', folder, 'src');
}

/** The folder that is published as it is. */
export function distOf(folder: PackageFolder): string {
  return join(ROOT, 'packages', folder, 'dist');
}

export function readManifest(directory: string): SourceManifest {
  return JSON.parse(readFileSync(join(directory, 'package.json'), 'utf8')) as SourceManifest;
}

export function manifestOf(folder: PackageFolder): SourceManifest {
  return readManifest(join(ROOT, 'packages', folder));
}

/** The first of these files that is there. */
export function firstExisting(...paths: string[]): string | undefined {
  return paths.find((path) => existsSync(path));
}
