import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process'
import { existsSync, readFileSync, statSync } from 'node:fs'
import { dirname } from 'node:path'

/** Starts a program as the account that PostgreSQL runs as. */
export type Run = (program: string, parameters: readonly string[], options: SpawnOptions) => ChildProcess

export interface Account {
  uid: number
  gid: number
}

/**
 * An account without a name that no service of the machine uses. It owns the database's files and
 * nothing else.
 */
const OWN_ACCOUNT: Account = { uid: 54_321, gid: 54_321 }
/** `initdb` alone requires an account with a name. */
export const NAMED_ACCOUNT: Account = { uid: 65_534, gid: 65_534 }

const SETPRIV = ['/usr/bin/setpriv', '/bin/setpriv'].find((path) => existsSync(path))

/**
 * The account for the database in `directory`; undefined for our own. PostgreSQL refuses to run as
 * root, so root uses the owner of existing files, else an account of its own.
 */
export function accountFor(directory: string): Account | undefined {
  if (process.getuid?.() !== 0) return undefined
  if (!existsSync(directory)) return OWN_ACCOUNT
  const { uid, gid } = statSync(directory)
  return uid === 0 ? OWN_ACCOUNT : { uid, gid }
}

/**
 * How to run programs as `account` (undefined: as ourselves). They must be able to reach the
 * folders in `reach`: if one is below a folder that is closed to the account (a checkout in /root
 * or in a mktemp folder), they get the one capability that reads through it, and no other. Throws
 * when that is impossible.
 */
export function runnerFor(account: Account | undefined, reach: readonly string[]): Run {
  // When we are killed, the database must not stay behind: it gets the signal for a fast, clean
  // shutdown.
  const parameters = SETPRIV ? ['--pdeathsig', 'INT'] : []
  if (account) {
    const closed = reach.map((folder) => closedAbove(folder, account)).find((folder) => folder !== undefined)
    parameters.push('--reuid', String(account.uid), '--regid', String(account.gid), '--clear-groups', '--no-new-privs')
    if (closed) parameters.push(...capabilityParameters(closed))
    if (!SETPRIV && !closed) return (program, own, options) => spawn(program, own, { ...options, ...account })
  }
  return (program, own, options) =>
    SETPRIV ? spawn(SETPRIV, [...parameters, program, ...own], options) : spawn(program, own, options)
}

/** The first folder on the way to `folder` that the account may not enter. */
function closedAbove(folder: string, account: Account): string | undefined {
  const parent = dirname(folder)
  if (parent === folder) return undefined
  const { mode, uid, gid } = statSync(parent)
  const passes = uid === account.uid ? mode & 0o100 : gid === account.gid ? mode & 0o010 : mode & 0o001
  return passes ? closedAbove(parent, account) : parent
}

/**
 * Bits of the kernel's capability sets. Reading is enough, but some containers can only give the
 * stronger one.
 */
const CAPABILITIES = [
  { name: 'dac_read_search', bit: 2 },
  { name: 'dac_override', bit: 1 },
] as const

function capabilityParameters(closed: string): string[] {
  const held = SETPRIV && process.platform === 'linux' ? heldCapabilities() : 0n
  const capability = CAPABILITIES.find(({ bit }) => held & (1n << BigInt(bit)))?.name
  if (!capability) {
    throw new Error(
      `PostgreSQL does not run as root, and the account it would run as cannot pass ${closed}: open that folder (chmod o+x), or start Sallyport as an ordinary user`,
    )
  }
  // Without `--securebits`, the kernel hides capabilities from access(2), by which PostgreSQL looks
  // for its own programs.
  return [
    '--inh-caps',
    `-all,+${capability}`,
    '--ambient-caps',
    `-all,+${capability}`,
    '--bounding-set',
    `-all,+${capability}`,
    '--securebits',
    '+no_setuid_fixup',
  ]
}

function heldCapabilities(): bigint {
  const status = readFileSync('/proc/self/status', 'utf8')
  const set = (name: string) => BigInt(`0x${status.match(new RegExp(`^${name}:\\s*([0-9a-f]+)`, 'm'))?.[1] ?? '0'}`)
  return set('CapBnd') & set('CapPrm')
}
