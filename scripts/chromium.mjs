// Finds a Chromium for the browser tests, and installs one by the system's package manager where there is none.

import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable', 'chrome.exe'];
const places = [
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  ...['PROGRAMFILES', 'PROGRAMFILES(X86)', 'LOCALAPPDATA']
    .filter((name) => process.env[name])
    .map((name) => join(process.env[name], 'Google', 'Chrome', 'Application', 'chrome.exe')),
];

/** The path of a Chromium, or nothing. `STANDPIPE_CHROMIUM` says which one. */
export function findChromium() {
  if (process.env.STANDPIPE_CHROMIUM) return process.env.STANDPIPE_CHROMIUM;
  const folders = (process.env.PATH ?? '').split(delimiter);
  const onPath = folders.flatMap((folder) => names.map((name) => join(folder, name)));
  return [...onPath, ...places].find((path) => existsSync(path));
}

/** The commands that install one, in order, for the package managers that we know. */
const installers = [
  {
    needs: 'apt-get',
    commands: [
      ['apt-get', 'update'],
      ['apt-get', 'install', '-y', 'chromium'],
    ],
  },
  { needs: 'dnf', commands: [['dnf', 'install', '-y', 'chromium']] },
  { needs: 'pacman', commands: [['pacman', '-S', '--noconfirm', 'chromium']] },
  { needs: 'apk', commands: [['apk', 'add', 'chromium']] },
  { needs: 'brew', commands: [['brew', 'install', '--cask', 'chromium']] },
  { needs: 'choco', commands: [['choco', 'install', '-y', 'googlechrome']] },
];

export function ensureChromium() {
  if (findChromium()) return;
  const installer = installers.find(({ needs }) => spawnSync(needs, ['--version'], { stdio: 'ignore' }).status === 0);
  console.log(`No Chromium found; installing it with ${installer?.needs ?? 'nothing that is known here'}`);
  for (const [command, ...args] of installer?.commands ?? []) {
    const asRoot = process.platform === 'win32' || process.getuid?.() === 0 || command === 'brew';
    const line = asRoot ? [command, ...args] : ['sudo', '-n', command, ...args];
    const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
    const { status, stdout, stderr } = spawnSync(line[0], line.slice(1), { env, encoding: 'utf8' });
    if (status !== 0) console.error(`${line.join(' ')} failed:\n${stdout ?? ''}${stderr ?? ''}`);
  }
  if (findChromium()) return;
  throw new Error(
    'The browser tests need a Chromium, and none could be installed. Install one, name it in STANDPIPE_CHROMIUM, or set STANDPIPE_SKIP_BROWSER=1 to do without these tests.',
  );
}
