import { grantedApplication } from '@sallyport/contract/resources/perms/granted-application.ts'
import { grantedAsset } from '@sallyport/contract/resources/perms/granted-asset.ts'
import type { Command, Context } from '../command.ts'
import { Failure } from '../exit.ts'

/** Milliseconds that somebody waits who has pressed Tab. */
const PATIENCE_MS = 3000
const MOST = 50

/** Each asks this program for the words that may follow. */
const SCRIPTS: Readonly<Record<string, string>> = {
  bash: `_sallyport() {
  local IFS=$'\\n'
  COMPREPLY=($(compgen -W "$(sallyport complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _sallyport sallyport
`,
  zsh: `#compdef sallyport
_sallyport() {
  local -a found
  found=("\${(@f)$(sallyport complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  compadd -a found
}
if [ "$funcstack[1]" = "_sallyport" ]; then _sallyport; else compdef _sallyport sallyport; fi
`,
  fish: `complete -c sallyport -f -a '(sallyport complete -- (commandline -opc)[2..] (commandline -ct) 2>/dev/null)'
`,
}

export const completion: Command = {
  does: 'print the completion for bash, zsh or fish',
  usage: 'bash|zsh|fish',
  async run({ say, answer }, { words: [shell = ''] }) {
    const script = SCRIPTS[shell]
    if (!script) throw new Failure('usage', say('Name a shell: bash, zsh or fish'))
    answer({ shell, script }, () => script)
    return undefined
  },
}

/** Words that fit the last of `words`, which may be empty; failures offer nothing. */
export async function wordsFor(
  context: Context,
  commands: Readonly<Record<string, Command>>,
  words: readonly string[],
): Promise<string[]> {
  const [name = '', ...rest] = words
  const begun = rest.at(-1)
  if (begun === undefined) return Object.keys(commands).filter((one) => one.startsWith(name))
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined
  if (!command) return []
  if (begun.startsWith('-'))
    return ['--json', '--server', '--help', ...Object.keys(command.options ?? {}).map((one) => `--${one}`)].filter(
      (one) => one.startsWith(begun),
    )
  if (name === 'completion') return Object.keys(SCRIPTS).filter((one) => one.startsWith(begun))
  if (!command.completes) return []
  return targets(context, command.completes, begun)
}

async function targets(context: Context, kind: 'machines' | 'databases', begun: string): Promise<string[]> {
  const at = begun.lastIndexOf('@') + 1
  const [account, search] = [begun.slice(0, at), begun.slice(at)]
  const client = context.client()
  const when = { timeout: PATIENCE_MS }
  const names =
    kind === 'machines'
      ? (await client.resource(grantedAsset).page({ search, limit: MOST, fields: ['hostname'] }, when)).results.map(
          ({ hostname }) => hostname,
        )
      : (await client.resource(grantedApplication).page({ search, limit: MOST, fields: ['name'] }, when)).results.map(
          ({ name }) => name,
        )
  // A shell takes words apart at blanks.
  return names
    .filter((name) => name.startsWith(search) && /^[\p{L}\p{N}._+-]+$/u.test(name))
    .map((name) => account + name)
}
