/**
 * `sallyport-admin`: what operators do on the command line of a machine with Sallyport
 * (docs/install.md). `bin/sallyport-admin` starts it.
 */
import '../kernel/resolve-once.ts'
import { parseArgs } from 'node:util'
import { ConfigError } from '../config-error.ts'
import { startWords } from '../start-words.ts'
import { WrongUse } from './wrong-use.ts'

const COMMANDS: Readonly<Record<string, { does: string; load: () => Promise<Command> }>> = {
  'rotate-key': { does: 'take a new key of the secrets into use', load: () => import('./rotate-key.ts') },
  migrate: { does: 'say what an upgrade will do to the database, or do it', load: () => import('./migrate.ts') },
  'private-token': { does: "make a person's private token, or end it", load: () => import('./private-token.ts') },
  doctor: { does: 'look for what is wrong with an installation', load: () => import('./doctor.ts') },
  capacity: { does: 'measure what a node carries', load: () => import('./capacity.ts') },
  backup: { does: 'make a backup of everything while it runs', load: () => import('./backup.ts') },
  restore: { does: 'make an installation of a backup', load: () => import('./restore.ts') },
  'import-jumpserver': {
    does: 'bring what a JumpServer has into this installation',
    load: () => import('./import-jumpserver/index.ts'),
  },
  license: { does: 'issue a license', load: () => import('./license.ts') },
}

interface Command {
  USAGE: string
  run(args: string[]): Promise<void>
}

const USAGE = `sallyport-admin [--env-file FILE] COMMAND …

${Object.entries(COMMANDS)
  .map(([name, { does }]) => `  ${name.padEnd(17)} ${does}`)
  .join('\n')}

  --env-file     read settings from lines NAME=value, as /etc/sallyport.env has them
  --help         of a command: what it takes`

const [, , ...words] = process.argv
const at = words.findIndex((word, place) => !word.startsWith('-') && words[place - 1] !== '--env-file')
const [own, name, args] = at < 0 ? [words, '', []] : [words.slice(0, at), words[at] ?? '', words.slice(at + 1)]
const command = Object.hasOwn(COMMANDS, name) ? await COMMANDS[name]?.load() : undefined
const usage = command?.USAGE ?? USAGE

try {
  const options = { 'env-file': { type: 'string' }, help: { type: 'boolean' } } as const
  const { values } = parseArgs({ args: own, options })
  if (values['env-file']) process.loadEnvFile(values['env-file'])
  if (values.help || args.includes('--help')) console.log(usage)
  else if (!command) throw new WrongUse(name ? `There is no command ${name}` : 'Say which command')
  else await command.run(args)
} catch (error) {
  console.error(wordsOf(error))
  process.exitCode = 1
}

function wordsOf(error: unknown): string {
  const { message, code } = error as NodeJS.ErrnoException
  if (error instanceof WrongUse || code?.startsWith('ERR_PARSE_ARGS')) return `${message}\n\n${usage}`
  return error instanceof ConfigError ? message : startWords(error)
}
