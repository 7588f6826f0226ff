import { resolve } from 'node:path';
import { realPath } from '../tools/files/real-path.ts';
import {
  compilePathPattern,
  expandBraces,
  matchesPath,
  type PathPattern,
  segmentsOf,
} from '../tools/pattern/path-pattern.ts';
import { compileWildcard, isWild, matchesWildcard } from '../tools/pattern/wildcard.ts';
import type { Subject } from '../tools/tool.ts';
import { possibleCommands, splitCommand } from './command.ts';
import type { Rule } from './rule.ts';

/** A subject, with its real path if it is one. */
export interface Seen {
  readonly subject: Subject;
  readonly real?: string;
}

/** The directories that relative patterns and `~` refer to. */
export interface Base {
  readonly directory: string;
  readonly home: string | undefined;
}

export type Matcher = (seen: Seen) => boolean;

/**
 * Compiles a rule. An `allow` rule must match for certain, and is compared with real paths alone. `ask` and `deny`
 * match when they may apply: paths are also compared as they are written.
 */
export function matcherOf(rule: Rule, base: Base): Matcher {
  const { pattern } = rule;
  if (pattern === undefined) return () => true;
  const path = pathMatcher(rule, pattern, base);
  return (seen) => {
    const { kind, value } = seen.subject;
    if (kind === 'path') return path(seen);
    if (kind === 'command') return commandHolds(rule, pattern, value);
    if (kind === 'entry') return matchesWildcard(compileWildcard(pattern, false), value);
    return kind === 'url' && urlHolds(rule, pattern, value);
  };
}

function pathMatcher({ decision }: Rule, pattern: string, base: Base): Matcher {
  const absolute = absolutePatterns(pattern, base);
  const written = absolute.map((text) => compilePathPattern(text, false));
  const led = absolute.map((text) => compilePathPattern(realPattern(text), false));
  const fits = (patterns: readonly PathPattern[], path: string): boolean =>
    patterns.some((compiled) => matchesPath(compiled, segmentsOf(path)));
  return ({ subject, real }) => {
    if (real !== undefined && fits(led, real)) return true;
    if (decision === 'allow') return false;
    return fits(written, subject.value) || (real !== undefined && fits(written, real));
  };
}

function absolutePatterns(pattern: string, { directory, home }: Base): string[] {
  return expandBraces(pattern).map((text) => {
    const whole = text.endsWith('/') ? `${text}**` : text;
    if (home !== undefined && /^~(\/|$)/.test(whole)) return home + whole.slice(1);
    return resolve(directory, whole);
  });
}

/** The paths above the first wildcard of a rule's patterns; none for a rule without a pattern. */
export function literalRoots({ pattern }: Rule, base: Base): string[] {
  return absolutePatterns(pattern ?? '', base).flatMap((text) => {
    const segments = text.split('/');
    const wild = segments.findIndex(isWild);
    if (pattern === undefined) return [];
    return [wild < 0 ? text : segments.slice(0, wild).join('/') || '/'];
  });
}

/** The pattern with symbolic links resolved before its first wildcard, so that it matches real paths. */
function realPattern(pattern: string): string {
  const segments = pattern.split('/');
  const wild = segments.findIndex(isWild);
  if (wild < 0) return resolveLinks(pattern);
  return [resolveLinks(segments.slice(0, wild).join('/') || '/'), ...segments.slice(wild)].join('/');
}

function resolveLinks(path: string): string {
  try {
    return realPath(path);
  } catch {
    return path;
  }
}

function commandHolds(rule: Rule, pattern: string, line: string): boolean {
  if (rule.decision === 'allow') return allowsCommand([rule], line);
  return possibleCommands(line).some((part) => fitsCommand(pattern, part));
}

/**
 * True when every part of a command line matches one of the rules. False for a line that cannot be split with
 * certainty.
 */
export function allowsCommand(rules: readonly Rule[], line: string): boolean {
  if (rules.some(({ pattern }) => pattern === undefined)) return true;
  const { parts, certain } = splitCommand(line);
  if (!certain || parts.length === 0) return false;
  return parts.every((part) => rules.some(({ pattern = '' }) => fitsCommand(pattern, part)));
}

// `ls *` also matches `ls` without arguments.
function fitsCommand(pattern: string, command: string): boolean {
  const wildcard = compileWildcard(pattern, false);
  return matchesWildcard(wildcard, command) || (pattern.endsWith(' *') && command === pattern.slice(0, -2));
}

function urlHolds({ decision }: Rule, pattern: string, url: string): boolean {
  const wildcard = compileWildcard(pattern, false);
  const normal = URL.parse(url)?.href;
  if (normal !== undefined && matchesWildcard(wildcard, normal)) return true;
  return decision !== 'allow' && matchesWildcard(wildcard, url);
}
