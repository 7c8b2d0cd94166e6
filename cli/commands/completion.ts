// The scripts ask loopx itself what may come next, so that ids of todos and gates are offered too.
import {Failure} from '../../lib/failure.ts';
import {defineCommand} from '../command.ts';
import {completeWords} from '../completion-words.ts';
import {oneLine} from '../print.ts';
import {printResult} from '../result.ts';

export const command = defineCommand({
  usage: 'completion <shell> [words..]',
  describe: 'Print the completion script of a shell: bash, zsh or fish',
  examples: [
    ['bash >> ~/.bashrc', 'Complete in bash'],
    ['zsh > "${fpath[1]}/_loopx"', 'Complete in zsh'],
    ['fish > ~/.config/fish/completions/loopx.fish', 'Complete in fish'],
  ],
  async run({shell, words}, session) {
    if (shell === 'words') {
      const found = (await completeWords(words, session)).map(([word, about]) => ({word, about: oneLine(about)}));
      printResult(session, {schema: 'loopx/completion@1', words: found}, () =>
        found.map(({word, about}) => (about === '' ? word : `${word}\t${about}`)),
      );
      return;
    }

    const script = scripts[shell];
    if (script === undefined) {
      throw new Failure('usage', `There is no completion for "${shell}".`, {hint: 'Use one of: bash, zsh, fish.'});
    }

    printResult(session, {schema: 'loopx/completion@1', shell, script}, () => script.trimEnd());
  },
});

const scripts: Readonly<Record<string, string>> = {
  // Git calls _git_loopx for `git loopx`, by its own completion.
  bash: `
_loopx_words() {
  local IFS=$'\\n'
  COMPREPLY=($(loopx completion words -- "$@" 2>/dev/null | cut -f 1))
}
_loopx() { _loopx_words "\${COMP_WORDS[@]:1:COMP_CWORD}"; }
_git_loopx() { _loopx_words "\${COMP_WORDS[@]:2:COMP_CWORD-1}"; }
complete -o default -F _loopx loopx
`.trimStart(),
  zsh: `
#compdef loopx
_loopx() {
  local line
  local -a found
  for line in "\${(@f)$(loopx completion words -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}"; do
    found+=("\${\${line%%$'\\t'*}//:/\\\\:}:\${line#*$'\\t'}")
  done
  _describe loopx found
}
compdef _loopx loopx
`.trimStart(),
  fish: `
complete -c loopx -f -a '(loopx completion words -- (commandline -opc)[2..-1] (commandline -ct) 2>/dev/null)'
`.trimStart(),
};
