// `cmd /c` ends with 9009 for a missing command; cmd.exe of Windows ends with 1.
import { spawnSync } from 'node:child_process';

const { status } = spawnSync('cmd.exe', ['/d', '/s', '/c', '"no-such-tool"'], { windowsVerbatimArguments: true });
process.exit(status === 1 ? 0 : 1);
