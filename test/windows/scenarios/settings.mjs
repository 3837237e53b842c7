// Locations of settings, and output for the shells of Windows.

import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { group } from '../scenario.mjs';

export default group('Settings and texts', {
  'keeps the config of the user in AppData, whatever XDG variables say': async (t) => {
    const env = { ...t.userEnv(), XDG_CONFIG_HOME: join(t.folder, 'xdg') };
    await t.succeed(['add', 'it', '--user', '--', ...t.server()], { env });
    assert.ok(existsSync(join(env.APPDATA, 'standpipe', 'mcp.json')));
    assert.match(await t.succeed(['config'], { env }), /AppData.*mcp\.json/);
  },
  'uses the config of the user that an earlier version wrote': async (t) => {
    const env = t.userEnv();
    t.config({ early: t.serverEntry() }, 'user\\.config\\standpipe\\mcp.json');
    assert.match(await t.succeed(['config'], { env }), /early/);
    assert.equal((await t.succeed(['call', 'early', 'echo', 'text=x'], { env })).trim(), 'x');
  },
  'names missing commands before they are started, and finds others by PATHEXT': async (t) => {
    const bin = join(t.folder, 'bin');
    t.write('bin\\found.cmd', '@echo x\r\n');
    const env = t.userEnv();
    for (const name of Object.keys(env)) if (name.toUpperCase() === 'PATH') env[name] += `;${bin}`;
    const config = t.config({
      a: { command: 'found' },
      b: { command: 'no-such-tool' },
      c: { command: t.write('x.txt', 'x') },
    });
    const { stdout, stderr } = await t.run(['config', '--config', config], { env });
    assert.match(stdout + stderr, /"no-such-tool" is not in any folder of PATH/);
    assert.match(stdout + stderr, /x\.txt" is not a program/);
    assert.doesNotMatch(stdout + stderr, /"found" is not/);
  },
  'prints commands that can be pasted into PowerShell': async (t) => {
    const config = t.config({}, 'other.json');
    const { stdout, stderr } = await t.run(['add', 'it', '--config', config, '--', ...t.server()]);
    assert.ok((stdout + stderr).includes(`standpipe tools it --config "${config}"`), stdout + stderr);
  },
  'prints a completion script for PowerShell, and answers it': async (t) => {
    assert.match(await t.succeed(['completion', 'powershell']), /^Register-ArgumentCompleter -Native/m);
    const hex = Buffer.from('call\0--protocol\0').toString('hex');
    assert.equal(await t.succeed(['__complete', `--hex=${hex}`]), 'mcp\nlitemcp\n');
  },
});
