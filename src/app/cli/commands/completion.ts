// `standpipe completion`: prints the completion script of a shell. All scripts call `standpipe __complete` and differ only in how they pass the
// words and read the answer: one candidate per line, with a description after a tab; or `:files PREFIX`.

import { ownCommand } from '../../../base/own-command.ts';
import { type CommandBody, type CommandModule, invalidOption } from '../invocation.ts';
import { help } from './server-options.ts';

const bash = `# standpipe completion for bash
_standpipe() {
  local line="\${COMP_LINE:0:COMP_POINT}" answer candidate prefix current cut
  local -a words
  # Bash also splits words at = and :. Here only spaces separate words.
  read -ra words <<< "$line"
  [[ "$line" == *[[:space:]] ]] && words+=("")
  current="\${words[\${#words[@]}-1]}"
  COMPREPLY=()
  answer="$(command standpipe __complete "\${words[@]:1}" 2>/dev/null)" || return 0
  # Bash keeps the text before the last = or :, so a candidate must not repeat it.
  cut="\${current%"\${current##*[=:]}"}"
  [[ "$COMP_WORDBREAKS" == *=* && "$COMP_WORDBREAKS" == *:* ]] || cut=""
  if [[ "$answer" == ":files "* ]]; then
    prefix="\${answer#:files }"
    while IFS= read -r candidate; do
      # With a prefix, readline must not treat the candidate as a file name: it would escape the @.
      if [[ -n "$prefix" ]]; then
        [[ -d "$candidate" ]] && candidate+=/ && compopt -o nospace 2>/dev/null
        printf -v candidate %q "$candidate"
      fi
      candidate="$prefix$candidate"
      COMPREPLY+=("\${candidate#"$cut"}")
    done < <(compgen -f -- "\${current#"$prefix"}")
    [[ -n "$prefix" ]] || compopt -o filenames 2>/dev/null
    return 0
  fi
  while IFS= read -r candidate; do
    candidate="\${candidate%%$'\\t'*}"
    [[ -n "$candidate" ]] && COMPREPLY+=("\${candidate#"$cut"}")
    [[ "$candidate" == *[=/] ]] && compopt -o nospace 2>/dev/null
  done <<< "$answer"
  return 0
}
# Without this, bash splits words at @ and repeats the text before it.
COMP_WORDBREAKS="\${COMP_WORDBREAKS//@/}"
complete -F _standpipe standpipe
`;

const zsh = `#compdef standpipe
# standpipe completion for zsh
_standpipe() {
  local line
  local -a spaced joined
  for line in "\${(@f)$(command standpipe __complete "\${(@)words[2,CURRENT]}" 2>/dev/null)}"; do
    case "$line" in
      '') ;;
      ':files '*)
        compset -P '*@'
        _files
        return
        ;;
      *)
        line="\${line%%$'\\t'*}"
        case "$line" in
          *[=/]) joined+=("$line") ;;
          *) spaced+=("$line") ;;
        esac
        ;;
    esac
  done
  (( $#joined )) && compadd -S '' -a joined
  (( $#spaced )) && compadd -a spaced
}
if [ "$funcstack[1]" = "_standpipe" ]; then
  _standpipe "$@"
else
  compdef _standpipe standpipe
fi
`;

const fish = `# standpipe completion for fish
function __standpipe_complete
    set -l words (commandline -opc) (commandline -ct)
    for line in (command standpipe __complete $words[2..-1] 2>/dev/null)
        if string match -q ':files *' -- $line
            set -l prefix (string replace ':files ' '' -- $line)
            set -l typed (string replace -- "$prefix" '' (commandline -ct))
            for path in (complete -C "'' $typed")
                echo $prefix$path
            end
        else
            echo $line
        end
    end
end
complete -c standpipe -f -a '(__standpipe_complete)'
`;

// Windows PowerShell drops empty arguments and quotes inside arguments, so the words are passed as one argument in hexadecimal UTF-8.
const powershell = `# standpipe completion for PowerShell
Register-ArgumentCompleter -Native -CommandName standpipe, standpipe.cmd, standpipe.ps1 -ScriptBlock {
  param($current, $ast, $cursor)
  $words = @($ast.CommandElements | Select-Object -Skip 1 | Where-Object { $_.Extent.EndOffset -lt $cursor } | ForEach-Object {
    if ($_ -is [System.Management.Automation.Language.StringConstantExpressionAst]) { $_.Value } else { $_.Extent.Text }
  }) + $current
  $bytes = [System.Text.Encoding]::UTF8.GetBytes($words -join [char]0)
  $line = [System.BitConverter]::ToString($bytes) -replace '-', ''
  $encoding = [Console]::OutputEncoding
  try {
    [Console]::OutputEncoding = New-Object System.Text.UTF8Encoding $false
    $answer = @(& standpipe __complete "--hex=$line" 2>$null)
  } finally {
    [Console]::OutputEncoding = $encoding
  }
  foreach ($each in $answer) {
    if ($each.StartsWith(':files ')) {
      $prefix = $each.Substring(7)
      $typed = $current.Substring([Math]::Min($prefix.Length, $current.Length))
      foreach ($file in [System.Management.Automation.CompletionCompleters]::CompleteFilename($typed)) {
        $text = if ($prefix) { $prefix + $file.CompletionText.Trim("'") } else { $file.CompletionText }
        if ($prefix -and $text -match '[^\\w./\\\\:=-]') { $text = "'" + $text.Replace("'", "''") + "'" }
        New-Object System.Management.Automation.CompletionResult $text, $file.ListItemText, $file.ResultType, $file.ToolTip
      }
    } elseif ($each) {
      $word, $about = $each -split [char]9, 2
      # These characters have a special meaning in PowerShell.
      $text = if ($word -match '[@,%~]') { "'$word'" } else { $word }
      if (-not $about) { $about = $word }
      New-Object System.Management.Automation.CompletionResult $text, $word, 'ParameterValue', $about
    }
  }
}
`;

export const shellScripts = { bash, zsh, fish, powershell } as const;

type Shell = keyof typeof shellScripts;
const shells = Object.keys(shellScripts) as Shell[];

export const define: CommandModule['define'] = (command, run) => {
  command.argument('[shell]', `name of the shell: ${shells.join(', ')}`);
  help(
    command,
    `Install it:
  bash   echo 'source <(${ownCommand} completion bash)' >> ~/.bashrc
  zsh    ${ownCommand} completion zsh > "\${fpath[1]}/_standpipe"
  fish   ${ownCommand} completion fish > ~/.config/fish/completions/standpipe.fish
  powershell
    Add-Content $PROFILE 'iex (${ownCommand} completion powershell | Out-String)'
It completes commands, servers, tools, argument names and values. The data
comes from the running host, or from the config and a cache. Completion never
starts a server.`,
    'completion bash',
  );
  command.action(run(printScript));
};

const printScript: CommandBody = async ({ out }, [shell]) => {
  const known = shells.find((each) => each === shell);
  if (known === undefined) {
    throw invalidOption(
      shell === undefined ? 'No shell was given' : `There is no completion for "${shell}"`,
      `Completion is available for ${shells.join(', ')}; \`${ownCommand} completion --help\` shows how to install it.`,
    );
  }
  const script = shellScripts[known];
  if (out.json) out.document({ shell, script });
  else out.write(script);
  return undefined;
};
