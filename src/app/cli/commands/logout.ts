// `standpipe logout`: removes the tokens of a remote server, and revokes them if the authorization server supports it.

import { UsageError } from '../../../base/errors.ts';
import { ownCommand } from '../../../base/own-command.ts';
import { visibleLine } from '../../../base/terminal/visible.ts';
import { certificatesIn } from '../../../host/supervision/open-server.ts';
import { logOutOf } from '../../../wire/oauth/accounts.ts';
import { ExitCode } from '../exit-code.ts';
import type { CommandBody, CommandModule } from '../invocation.ts';
import { reconnect } from '../servers/reconnect.ts';
import { remoteTarget } from '../servers/remote-target.ts';
import { examples } from './server-options.ts';

export const define: CommandModule['define'] = (command, run) => {
  command.argument('<server>', 'remote server of the config, or its URL').action(run(logout));
  examples(command, 'logout github', 'logout https://mcp.example.com/mcp');
};

const logout: CommandBody = async ({ out, settings }, [word]) => {
  const { name, url, oauth, ca } = await remoteTarget(word!, settings);
  const done = await logOutOf({ url, oauth: oauth || undefined, ca: await certificatesIn(ca) });
  if (!done) {
    throw new UsageError('NAME_UNKNOWN', `You are not logged in to ${visibleLine(name)}`, {
      hint: `\`${ownCommand} login --status\` shows all logins.`,
    });
  }
  // A running host still has the token in memory.
  if (name === word) await reconnect(name, settings, (state) => state !== 'stopped' && state !== 'disabled');
  if (out.json) out.document({ server: name, ...done });
  else {
    const end = done.isRevoked ? 'and the authorization server has revoked them' : 'but may be valid until they expire';
    out.say(`Logged out of ${visibleLine(name)}. The tokens are removed, ${end}.`);
  }
  return ExitCode.done;
};
