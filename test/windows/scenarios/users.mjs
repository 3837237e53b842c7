// A second user of the machine, as far as Wine can tell: it has one user, so the second one differs by its profile and variables.

import assert from 'node:assert/strict';
import { group } from '../scenario.mjs';

export default group('Two users', {
  'a second user does not reach the host of the first by the same config': async (t) => {
    const config = t.config({ it: t.serverEntry() });
    const host = await t.host(config, [], { env: t.userEnv('first') });
    const { running } = JSON.parse(await t.succeed(['ls', '--json', '--config', config], { env: t.userEnv('second') }));
    assert.equal(running, false);
    const { code } = await t.run(['down', '--config', config], { env: t.userEnv('second') });
    assert.notEqual(code, 0);
    assert.equal(host.child.exitCode, null);
    await t.succeed(['down', '--config', config], { env: t.userEnv('first') });
    await host.closed;
  },
});
