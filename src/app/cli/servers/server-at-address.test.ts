import { expect, test } from 'vitest';
import { givenServer, type ServerCommandOptions } from './server-command.ts';

const url = 'http://127.0.0.1:1/';

test.each<[options: ServerCommandOptions, command: string[] | undefined, message: string, hint: string]>([
  [{ url: 'localhost:3000' }, undefined, 'The address is not a URL', 'http://'],
  [{ url: 'ws://127.0.0.1:1/' }, undefined, 'WebSocket is not supported', 'https://'],
  [{ url, header: ['secret-token'] }, undefined, '--header must be a name and a value', '${TOKEN}'],
  [{ url, header: ['A: ${NOT_SET_ANYWHERE}'] }, undefined, 'NOT_SET_ANYWHERE is not set', 'Set it'],
  [{ url, cwd: '/' }, undefined, '--cwd cannot be used for a remote server', 'Remove one'],
  [{ url }, ['node'], 'A command after -- cannot be used', 'Remove one'],
  [{ header: ['A: b'] }, ['node'], '--header needs --url', '--url'],
])('refuses %j with the command %j, with a hint', async (options, serverCommand, message, hint) => {
  const refused = givenServer({ serverCommand, settings: {}, out: undefined as never }, options);
  await expect(refused).rejects.toMatchObject({
    message: expect.stringContaining(message),
    hint: expect.stringContaining(hint),
  });
  await expect(refused).rejects.not.toThrow('secret-token');
});
