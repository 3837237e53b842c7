// `cmd /c` does not find a batch file whose path has a space that is escaped by a caret; cmd.exe of Windows does.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const file = join(mkdtempSync(join(tmpdir(), 'a b')), 'x.cmd');
writeFileSync(file, '@exit 5\r\n');
const args = ['/d', '/s', '/c', `"${file.replaceAll(' ', '^ ')}"`];
process.exit(spawnSync('cmd.exe', args, { windowsVerbatimArguments: true }).status === 5 ? 0 : 1);
