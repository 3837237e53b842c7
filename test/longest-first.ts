// The order of the test files. A file that takes long and begins last is waited for alone, with one core idle. Vitest knows how long
// a file took only where it has run before: in a fresh clone it begins with the largest files.

import { relative } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Those that take longest, the longest first. */
export const longest = [
  'test/check/real-servers.test.ts',
  'test/check/witnesses.test.ts',
  'test/examples/quickstart.test.ts',
  'test/check/client-witnesses.test.ts',
  'test/browser/looks.test.ts',
  'test/diagnosis/mistakes.test.ts',
  'test/process/watchdog.test.ts',
  'test/browser/fleet.test.ts',
  'test/check/litemcp-servers.test.ts',
  'test/process/killed-host.test.ts',
  'test/process/daemons.test.ts',
  'test/chaos/chaos.test.ts',
];

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const place = ({ moduleId }: TestSpecification) => {
      const at = longest.indexOf(relative(this.ctx.config.root, moduleId).replaceAll('\\', '/'));
      return at < 0 ? longest.length : at;
    };
    return sorted.sort((a, b) => place(a) - place(b));
  }
}
