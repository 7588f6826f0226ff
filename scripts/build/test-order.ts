import { statSync } from 'node:fs';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** A test file below this size runs a suite of another file. */
const SHORT_BYTES = 1_000;

/**
 * Short files first. Without times of an earlier run, Vitest begins with the largest files; but the longest suites are named
 * by short files, and would then run last, alone on one of the workers.
 */
export class SuitesFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isShort = ({ moduleId }: TestSpecification): boolean => statSync(moduleId).size < SHORT_BYTES;
    return [...sorted.filter(isShort), ...sorted.filter((file) => !isShort(file))];
  }
}
