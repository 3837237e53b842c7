// The order of the test files. A file that takes long and begins last is waited for alone, with one core idle. Vitest knows how long
// a file took only where it has run before: in a fresh clone it begins with the largest files.

import { relative } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Of `npm test` without the slow files, the longest first. */
export const longest = [
  'test/process/watchdog.test.ts',
  'test/process/daemons.test.ts',
  'test/process/killed-host.test.ts',
  'test/contract/gateway.test.ts',
  'test/process/leased-servers.test.ts',
  'test/fleet/fleet-node.test.ts',
  'test/check/define-check.full.test.ts',
  'test/cli/login.test.ts',
  'test/cli/up.test.ts',
  'test/tap/transparent.test.ts',
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
