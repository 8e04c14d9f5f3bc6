import type { Command, Context, Given } from '../command.ts'
import { Failure } from '../exit.ts'
import { runProgram } from '../program.ts'
import type { KnownServer } from '../store.ts'
import { findAccount, findMachine, splitTarget } from '../targets.ts'

/** Port of the SSH entry where a server says nothing else. */
const SSH_PORT = 2222

/** Options of OpenSSH that are passed on as they come. */
const PASSED = {
  option: { type: 'string', short: 'o', multiple: true, does: 'an option of OpenSSH, such as ConnectTimeout=5' },
  identity: { type: 'string', short: 'i', does: 'the file of your SSH key' },
  config: { type: 'string', short: 'F', does: 'a configuration of OpenSSH instead of your own' },
  verbose: { type: 'boolean', short: 'v', does: 'say what OpenSSH does' },
} as const

export const ssh: Command = {
  does: 'open a shell on a machine, or run a command there',
  usage: '[-t] [ACCOUNT@]MACHINE [COMMAND …]',
  options: {
    ...PASSED,
    tty: { type: 'boolean', short: 't', does: 'give the command a terminal' },
  },
  passes: true,
  completes: 'machines',
  async run(context, given) {
    const [target, ...command] = given.words
    const { host, port, login } = await destinationOf(context, target)
    const options = [...passedOn(given), ...(given.values.tty ? ['-t'] : [])]
    return runProgram(context, 'ssh', ['-p', String(port), ...options, '-l', login, '--', host, ...command])
  },
}

export const sftp: Command = {
  does: 'move files to and from a machine, by commands',
  usage: '[-b FILE] [ACCOUNT@]MACHINE[:PATH]',
  options: { ...PASSED, batch: { type: 'string', short: 'b', does: 'read the commands from a file' } },
  completes: 'machines',
  async run(context, given) {
    const [word = ''] = given.words
    const { target, path } = placeIn(word) ?? { target: word, path: undefined }
    const { host, port, login } = await destinationOf(context, target)
    const batch = typeof given.values.batch === 'string' ? ['-b', given.values.batch] : []
    const place = `${login}@${host}${path ? `:${path}` : ''}`
    return runProgram(context, 'sftp', ['-P', String(port), ...passedOn(given), ...batch, '--', place])
  },
}

export const scp: Command = {
  does: 'copy files to and from machines',
  usage: '[-r] [-p] SOURCE … TARGET',
  options: {
    ...PASSED,
    recursive: { type: 'boolean', short: 'r', does: 'folders with all that is in them' },
    preserve: { type: 'boolean', short: 'p', does: 'keep times and modes' },
  },
  completes: 'machines',
  async run(context, given) {
    const { say } = context
    if (given.words.length < 2) throw new Failure('usage', say('Say what is copied, and to where'))
    const places = await Promise.all(given.words.map((word) => remoteOf(context, word)))
    const remote = places.find((place) => place.port !== undefined)
    if (!remote) throw new Failure('usage', say('Name a machine before one of the paths: web-1:/tmp/file'))
    const flags = [...(given.values.recursive ? ['-r'] : []), ...(given.values.preserve ? ['-p'] : [])]
    const words = places.map(({ word }) => word)
    // Through this computer: machines do not reach each other with the person's sign-in.
    return runProgram(context, 'scp', ['-3', '-P', String(remote.port), ...passedOn(given), ...flags, '--', ...words])
  },
}

/** A path of scp as scp reads it. */
async function remoteOf(context: Context, word: string): Promise<{ word: string; port?: number }> {
  const place = placeIn(word)
  if (!place) return { word }
  const { host, port, login } = await destinationOf(context, place.target)
  return { word: `${login}@${host}:${place.path}`, port }
}

/** `machine:path`; a path with a slash before its colon is one of this computer. */
function placeIn(word: string): { target: string; path: string } | undefined {
  const [, target, path = ''] = /^([^/:]+):(.*)$/s.exec(word) ?? []
  return target ? { target, path } : undefined
}

function passedOn({ values }: Given): string[] {
  const options = [values.option ?? []].flat().flatMap((one) => ['-o', String(one)])
  const files = (['identity', 'config'] as const).flatMap((name) =>
    typeof values[name] === 'string' ? [name === 'identity' ? '-i' : '-F', values[name]] : [],
  )
  return [...options, ...files, ...(values.verbose ? ['-v'] : [])]
}

interface Destination {
  host: string
  port: number
  /** The person, the account and the machine, as the SSH entry reads them. */
  login: string
}

async function destinationOf(context: Context, word: string | undefined): Promise<Destination> {
  const { say } = context
  if (!word) throw new Failure('usage', say('Name a machine; sallyport ls lists yours'))
  const { account: wanted, target } = splitTarget(word)
  const client = context.client()
  const server = context.server()
  const { row, isUnique } = await findMachine(client, say, target)
  const found = await findAccount(client, say, { family: 'assets', id: row.id }, wanted, ['ssh'])
  const username = server.username ?? (await client.get<{ username: string }>('/api/v1/users/profile/')).username
  const account = found.isUnique && found.account.username ? found.account.username : found.account.id
  const parts = [username, account, isUnique ? row.hostname : row.id]
  return { ...(await entryOf(context, server)), login: loginOf(parts, [username, found.account.id, row.id]) }
}

/** Names are shown in questions for a password; ids are for names with separators in them. */
function loginOf(names: readonly string[], ids: readonly string[]): string {
  const isPlain = names.every((name) => /^[\p{L}\p{N}._+-]+$/u.test(name))
  const parts = isPlain ? names : ids
  return parts.join(parts.some((part) => part.includes('@')) ? '#' : '@')
}

async function entryOf(context: Context, server: KnownServer): Promise<{ host: string; port: number }> {
  const host = server.ssh?.host ?? new URL(server.url).hostname.replace(/^\[|\]$/g, '')
  const port = server.ssh?.port ?? (await portOf(context))
  return { host, port }
}

async function portOf(context: Context): Promise<number> {
  const { data } = await context.client().get<{ data: { SSH_PORT?: number } }>('/api/v1/settings/public/')
  return data.SSH_PORT || SSH_PORT
}
