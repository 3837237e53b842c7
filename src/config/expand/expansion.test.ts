import { expect, test } from 'vitest';
import { read, readOne } from '../read-text.contract.ts';

const world = { env: { TOKEN: 'hunter22', EMPTY: '', PORT: '80', 'PROGRAM(x86)': 'p' }, folder: '/app' };

test.each([
  ['${PORT}', '80'],
  ['${env:PORT}', '80'],
  ['[${EMPTY}]', '[]'],
  ['${EMPTY:-x}', 'x'],
  ['${NONE:-x}', 'x'],
  ['${NONE:-${PORT}}', '80'],
  ['${env:PROGRAM(x86)}', 'p'],
  ['${workspaceFolder}/a', '/app/a'],
  ['${workspaceFolderBasename}', 'app'],
  ['${userHome}', '/home/ada'],
  ['a${/}b${pathSeparator}c', 'a/b/c'],
  ['$${PORT}', '${PORT}'],
  ['$PORT', '$PORT'],
])('%s becomes %s in every text of an entry', async (text, value) => {
  const entry = { command: `c${text}`, args: [text], env: { A: text }, cwd: `/x${text}` };
  const { server, problems } = await readOne(entry, world);
  expect(problems).toEqual([]);
  expect(server).toMatchObject({ command: `c${value}`, args: [value], env: { A: value }, cwd: `/x${value}` });
});

test('does not expand names of variables, tools and other keys', async () => {
  const { server } = await readOne({ command: 'x', env: { '${PORT}': '1' }, tools: { allow: ['${PORT}'] } }, world);
  expect(server).toMatchObject({ env: { '${PORT}': '1' }, tools: { allow: ['${PORT}'] } });
});

test('uses the variables of the host, not of the entry', async () => {
  const { server, problems } = await readOne({ command: 'x', env: { MINE: '1' }, args: ['${MINE}'] }, world);
  expect(server).toBeUndefined();
  expect(problems).toMatchObject([{ code: 'VARIABLE_NOT_SET', message: 'Variable MINE is not set' }]);
});

test('names every missing variable', async () => {
  const { problems } = await readOne({ command: '${A}', args: ['${B}${C}'] });
  expect(problems.map(({ message }) => message)).toEqual([
    'Variable A is not set',
    'Variable B is not set',
    'Variable C is not set',
  ]);
});

test('Windows: variables have no case, separators are those of Windows, and paths stay as written', async () => {
  const windows = { platform: 'win32', folder: 'C:\\app', env: { Path: 'p' }, home: 'C:\\Users\\ada' } as const;
  const entry = { command: '${PATH}${/}${userHome}', cwd: 'sub/x' };
  expect((await readOne(entry, windows)).server).toMatchObject({
    command: 'p\\C:\\Users\\ada',
    cwd: 'C:\\app\\sub\\x',
  });
  expect((await readOne({ command: 'x', cwd: 'E:/w' }, windows)).server).toMatchObject({ cwd: 'E:/w' });
});

test.each([
  [undefined, '/app'],
  ['.', '/app'],
  ['sub', '/app/sub'],
  ['../other', '/other'],
  ['/abs', '/abs'],
  ['E:/working/directory', 'E:/working/directory'],
  ['E:\\working', 'E:\\working'],
  ['\\\\server\\share', '\\\\server\\share'],
  ['${workspaceFolder}/x', '/app/x'],
])('cwd %j becomes %s', async (cwd, resolved) => {
  expect((await readOne({ command: 'x', cwd }, world)).server!.cwd).toBe(resolved);
});

test('reads an envFile from the folder of the project, and env overrides it', async () => {
  const files = { '/app/sub/.env': 'A=file\nB=file\nC=file\nTOKEN=file' };
  const entry = { command: 'x', envFile: 'sub/${NAME:-.env}', env: { B: 'entry', C: null } };
  const { server, problems } = await readOne(entry, { ...world, files });
  expect(problems).toEqual([]);
  expect(server!.env).toEqual({ A: 'file', B: 'entry', TOKEN: 'file' });
});

test('warns about an invalid line in an envFile, with its position', async () => {
  const { server, problems } = await readOne(
    { command: 'x', envFile: 'e' },
    { folder: '/app', files: { '/app/e': 'A=1\n?' } },
  );
  expect(server!.env).toEqual({ A: '1' });
  expect(problems).toMatchObject([{ severity: 'warning', server: 'one', file: '/app/e', line: 2, column: 1 }]);
});

test('lists the files that servers depend on, including missing ones', async () => {
  const entry = (envFile: string) => ({ command: 'x', envFile });
  const { envFiles } = await read(JSON.stringify({ servers: { a: entry('a'), b: entry('b'), c: entry('a') } }));
  expect(envFiles).toEqual(['/project/a', '/project/b']);
});

test('remembers values in a command line whose variables have names of secrets', async () => {
  const entry = { command: 'x', args: ['--dsn=u:${TOKEN}@h', '${PORT}'], env: { A: 'of-env' } };
  expect((await readOne(entry, world)).server!.secrets).toEqual(['hunter22']);
  expect((await readOne({ command: 'x', env: { A: '${TOKEN}' } }, world)).server!.secrets).toEqual([]);
});

const inputs = [
  { id: 'key', type: 'promptString', description: 'The key', password: true },
  { id: 'region', type: 'pickString', default: 'eu', options: ['eu', { label: 'x' }, 'us'] },
];
const withInputs = (text: string) =>
  JSON.stringify({ servers: { a: { command: 'x', args: [text] }, b: { command: 'b' } }, inputs });

test('an input has its value from the environment, from `askInput`, or from its default', async () => {
  const text = withInputs('${input:region}');
  const env = { STANDPIPE_INPUT_REGION: 'env' };
  const ask = () => 'asked';
  expect((await read(text, { env, askInput: ask })).servers[0]).toMatchObject({ args: ['env'] });
  expect((await read(text, { askInput: ask })).servers[0]).toMatchObject({ args: ['asked'] });
  expect((await read(text, { askInput: () => undefined })).servers[0]).toMatchObject({ args: ['eu'] });
  expect((await read(text)).servers[0]).toMatchObject({ args: ['eu'] });
});

test('askInput receives the whole input, once, and only if it is needed', async () => {
  const asked: unknown[] = [];
  const { servers } = await read(withInputs('${input:key}${input:key}'), {
    askInput: async (input) => {
      asked.push(input);
      return 'k3y';
    },
  });
  expect(asked).toEqual([
    { id: 'key', description: 'The key', password: true, default: undefined, options: undefined },
  ]);
  expect(servers[0]).toMatchObject({ args: ['k3yk3y'], secrets: ['k3y'] });
});

test('an input without a value fails only its server', async () => {
  const { servers, problems } = await read(withInputs('${input:key}'));
  expect(servers.map(({ name }) => name)).toEqual(['b']);
  expect(problems).toMatchObject([
    {
      server: 'a',
      code: 'VARIABLE_NOT_SET',
      message: 'Input "key" has no value and no default',
      suggestion: 'Set STANDPIPE_INPUT_KEY.',
    },
  ]);
});

test('a default may be written at the use of an input', async () => {
  expect((await read(withInputs('${input:key:-none}'))).servers[0]).toMatchObject({ args: ['none'] });
});
