/** `sallyport`: machines, databases, requests and recordings on the command line (docs/command-line.md). */
import { parseArgs } from 'node:util'
import { ApiError, ConnectionError, TimeoutError } from '@sallyport/client'
import { PRODUCT_VERSION } from '@sallyport/contract/constants.ts'
import type { Command, Context, Given } from './command.ts'
import { apply } from './commands/apply.ts'
import { completion, wordsFor } from './commands/completion.ts'
import { db } from './commands/db.ts'
import { explain } from './commands/explain.ts'
import { exportCommand } from './commands/export.ts'
import { kubectl } from './commands/kubectl.ts'
import { login, logout, whoami } from './commands/login.ts'
import { ls } from './commands/ls.ts'
import { mcp } from './commands/mcp.ts'
import { replay } from './commands/replay.ts'
import { request } from './commands/request.ts'
import { sessions } from './commands/sessions.ts'
import { scp, sftp, ssh } from './commands/ssh.ts'
import { contextOf } from './context.ts'
import { EXIT, type ExitName, Failure } from './exit.ts'

const COMMANDS: Readonly<Record<string, Command>> = {
  login,
  logout,
  whoami,
  ls,
  ssh,
  scp,
  sftp,
  db,
  kubectl,
  request,
  explain,
  sessions,
  replay,
  mcp,
  export: exportCommand,
  apply,
  completion,
}

/** Options of all commands, before or after their name. */
const COMMON = {
  json: { type: 'boolean', does: 'answer JSON, for programs' },
  server: { type: 'string', does: 'address of another server than the last one' },
  org: { type: 'string', does: 'id of the organization' },
  help: { type: 'boolean', short: 'h', does: 'say what a command takes' },
} as const

async function main(args: readonly string[]): Promise<number> {
  // Before all else is read: failures come in that form as well.
  const json = args.includes('--json')
  let context = contextOf(process.env, { json })
  try {
    const { own, name, rest } = split(args)
    if (name === 'complete') return await complete(context, rest)
    if (own.includes('--version')) {
      context.answer({ version: PRODUCT_VERSION }, () => PRODUCT_VERSION)
      return EXIT.done
    }
    const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined
    const { values, words: given, common } = read(command, own, rest)
    context = contextOf(process.env, common)
    if (common.help || (!name && !own.length)) {
      process.stdout.write(command ? usageOf(context, name, command) : overview(context))
      return EXIT.done
    }
    if (!command)
      throw new Failure(
        'usage',
        name ? context.say('There is no command {{name}}', { name }) : context.say('Name a command'),
      )
    return (await command.run(context, { values, words: given })) ?? EXIT.done
  } catch (error) {
    return reported(context, error)
  }
}

/** The options before the command's name, the name, and all behind it. */
function split(args: readonly string[]): { own: string[]; name: string; rest: string[] } {
  const takesValue = (word: string | undefined) => word === '--server' || word === '--org'
  const at = args.findIndex((word, place) => !word.startsWith('-') && !takesValue(args[place - 1]))
  if (at < 0) return { own: [...args], name: '', rest: [] }
  return { own: args.slice(0, at), name: args[at] ?? '', rest: args.slice(at + 1) }
}

interface Read extends Given {
  common: { json: boolean; help: boolean; server?: string; org?: string }
}

/** @throws the errors of `parseArgs` */
function read(command: Command | undefined, own: readonly string[], rest: readonly string[]): Read {
  const options = { ...COMMON, ...command?.options }
  const [mine, passed] = command?.passes ? upToTarget(options, rest) : [rest, []]
  const { values, positionals } = parseArgs({ args: [...own, ...mine], options, allowPositionals: true })
  const { json = false, help = false, server, org, ...others } = values as Given['values']
  return {
    values: others,
    words: [...positionals, ...passed],
    common: {
      json: json === true,
      help: help === true,
      ...(typeof server === 'string' ? { server } : {}),
      ...(typeof org === 'string' ? { org } : {}),
    },
  }
}

/** The words up to the first that is no option, and those behind it, which belong to another program. */
function upToTarget(
  options: Readonly<Record<string, { type?: string; short?: string }>>,
  rest: readonly string[],
): [mine: string[], passed: string[]] {
  for (let at = 0; at < rest.length; at++) {
    const word = rest[at] ?? ''
    if (!word.startsWith('-')) return [rest.slice(0, at + 1), rest.slice(at + 1)]
    const [, long, short] = /^(?:--([\w-]+)|-(\w))$/.exec(word) ?? []
    const option = Object.entries(options).find(([name, one]) => name === long || one.short === short)?.[1]
    if (option?.type === 'string' && (long || short)) at++
  }
  return [[...rest], []]
}

async function complete(context: Context, rest: readonly string[]): Promise<number> {
  const found = await wordsFor(context, COMMANDS, rest[0] === '--' ? rest.slice(1) : rest).catch(() => [])
  process.stdout.write(found.map((word) => `${word}\n`).join(''))
  return EXIT.done
}

function overview({ say }: Context): string {
  const lines = Object.entries(COMMANDS).map(([name, { does }]) => `  ${name.padEnd(11)} ${say(does)}`)
  return `sallyport ${say('COMMAND')} …\n\n${lines.join('\n')}\n\n${optionLines(say, COMMON)}\n`
}

function usageOf({ say }: Context, name: string, { does, usage, options = {} }: Command): string {
  return `sallyport ${name} ${usage}\n\n${say(does)}\n\n${optionLines(say, { ...options, ...COMMON })}\n`
}

const optionLines = (
  say: Context['say'],
  options: Readonly<Record<string, { type: string; short?: string; does?: string }>>,
): string =>
  Object.entries(options)
    .map(([name, { short, does = '' }]) => `  ${short ? `-${short}, ` : '    '}--${name.padEnd(12)} ${say(does)}`)
    .join('\n')

/** Says what went wrong, and answers the exit code. */
function reported(context: Context, error: unknown): number {
  const { say, json, tell } = context
  const [exit, sentence, code] = reasonOf(error, say)
  tell(json ? JSON.stringify({ error: { exit, code, message: sentence } }) : `sallyport: ${sentence}`)
  return EXIT[exit]
}

const BY_STATUS: Readonly<Record<number, ExitName>> = {
  401: 'signIn',
  403: 'refused',
  404: 'notFound',
  503: 'unavailable',
}

function reasonOf(error: unknown, say: Context['say']): [exit: ExitName, sentence: string, code: string] {
  if (error instanceof Failure) return [error.exit, error.message, error.exit]
  if (error instanceof ApiError) {
    const sentence = error.status === 401 ? say('Your sign-in has ended: sallyport login') : error.message
    return [BY_STATUS[error.status] ?? 'failed', sentence, error.code]
  }
  if (error instanceof ConnectionError || error instanceof TimeoutError)
    return ['unavailable', error.message, 'unreachable']
  const { code = '', message } = error as NodeJS.ErrnoException
  if (code.startsWith('ERR_PARSE_ARGS')) return ['usage', message, 'usage']
  return ['failed', message, code]
}

const [, , ...words] = process.argv
process.exitCode = await main(words)
