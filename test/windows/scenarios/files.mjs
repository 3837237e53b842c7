// Files that another program holds open while they are replaced, as virus scanners and editors do.

import assert from 'node:assert/strict';
import { closeSync, openSync, readdirSync, readFileSync } from 'node:fs';
import { group } from '../scenario.mjs';

export default group('Files in use', {
  'a config is replaced after another program has closed it': async (t) => {
    const config = t.config({ it: t.serverEntry() });
    const descriptor = openSync(config, 'r');
    const adding = t.run(['add', 'other', '--config', config, '--', ...t.server()]);
    // The new text is written beside the file just before it is replaced.
    await t.until('it writes', () => readdirSync(t.folder).some((name) => name.endsWith('.new')));
    setTimeout(() => closeSync(descriptor), 300);
    const { code, stderr } = await adding;
    assert.equal(code, 0, stderr);
    assert.deepEqual(Object.keys(JSON.parse(readFileSync(config, 'utf8')).mcpServers), ['it', 'other']);
  },
  'eight commands that change one config at the same time lose no change': async (t) => {
    const config = t.config({});
    const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'];
    await Promise.all(names.map((name) => t.succeed(['add', name, '--config', config, '--', ...t.server()])));
    assert.deepEqual(Object.keys(JSON.parse(readFileSync(config, 'utf8')).mcpServers).sort(), names);
  },
});
