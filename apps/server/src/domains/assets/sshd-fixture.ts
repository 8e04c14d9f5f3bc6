/**
 * A real OpenSSH server on a free port of this machine. By default people log in by key, as the
 * account that runs the tests.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { freePort, isListening } from '../../../test/free-port.ts'

export interface Sshd {
  port: number
  username: string
  privateKey: string
  /** Fingerprint of its present host key, as `SHA256:…`. */
  hostKey(): string
  /** Restarts it with another host key, as an impostor would have. */
  changeHostKey(): Promise<void>
  /** Logins that it has accepted, by its own log. */
  logins(): number
  /** What it has logged so far. */
  log(): string
  close(): Promise<void>
}

export interface SshdOptions {
  /** How people log in, by key by default. `keyboard` asks through PAM, and needs root. */
  signIn?: 'key' | 'password' | 'keyboard'
  /** Lines put in front of sshd_config, where the first value of an option wins. */
  config?: string
  /** Reads further files in `sshd_config.d` first, as that of Debian does. */
  hasParts?: boolean
  /** The address on which it listens; 127.0.0.1 by default. */
  address?: string
}

const SIGN_IN: Record<NonNullable<SshdOptions['signIn']>, string> = {
  key: 'UsePAM no\nPasswordAuthentication no\nKbdInteractiveAuthentication no\n',
  password: 'UsePAM no\nPasswordAuthentication yes\nKbdInteractiveAuthentication no\n',
  keyboard: 'UsePAM yes\nPasswordAuthentication no\nKbdInteractiveAuthentication yes\n',
}

export async function startSshd({
  signIn = 'key',
  config = '',
  hasParts = false,
  address = '127.0.0.1',
}: SshdOptions = {}): Promise<Sshd> {
  const folder = mkdtempSync(join(tmpdir(), 'sallyport-sshd-'))
  const keygen = (name: string) =>
    execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', join(folder, name)])
  if (hasParts) mkdirSync(join(folder, 'sshd_config.d'))
  const parts = hasParts ? `Include ${join(folder, 'sshd_config.d')}/*.conf\n` : ''
  keygen('host')
  keygen('client')
  writeFileSync(join(folder, 'authorized_keys'), readFileSync(join(folder, 'client.pub')))
  // sshd requires its privilege separation folder, which only root can make.
  if (process.getuid?.() === 0) mkdirSync('/run/sshd', { recursive: true })
  const port = await freePort()
  let server: ChildProcess | undefined
  let logins = 0
  let log = ''
  const start = async (hostKey: string) => {
    writeFileSync(
      join(folder, 'config'),
      // An empty home: the account's own profile (version managers, locks left by ended sessions)
      // must not affect the tests.
      `${parts}${config}Port ${port}\nListenAddress ${address}\nHostKey ${join(folder, hostKey)}\nAuthorizedKeysFile ${join(folder, 'authorized_keys')}\n` +
        `SetEnv HOME=${folder}\n${SIGN_IN[signIn]}StrictModes no\nPermitRootLogin yes\nPidFile none\nSubsystem sftp internal-sftp\nAllowTcpForwarding yes\nMaxStartups 100\n`,
    )
    server = spawn('/usr/sbin/sshd', ['-D', '-e', '-f', join(folder, 'config')], {
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    server.stderr?.on('data', (bytes: Buffer) => {
      log += bytes.toString()
      logins += bytes.toString().match(/^Accepted /gm)?.length ?? 0
    })
    await untilOpen(port, server)
  }
  const stop = () =>
    new Promise<void>((resolve) => {
      if (!server || server.exitCode !== null) return resolve()
      server.once('exit', () => resolve())
      server.kill('SIGTERM')
    })
  let shown = 'host'
  await start(shown)
  return {
    port,
    hostKey: () =>
      execFileSync('ssh-keygen', ['-lf', join(folder, `${shown}.pub`)], { encoding: 'utf8' }).split(' ')[1] ?? '',
    logins: () => logins,
    log: () => log,
    username: userInfo().username,
    privateKey: readFileSync(join(folder, 'client'), 'utf8'),
    async changeHostKey() {
      await stop()
      shown = `${shown}-changed`
      keygen(shown)
      await start(shown)
    },
    async close() {
      await stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

export interface SystemAccount {
  username: string
  password: string
  remove(): void
}

/** One at a time, in all tests of this machine: these tools give up where another is at work. */
export function keepAccounts(
  tool: 'useradd' | 'usermod' | 'userdel' | 'chpasswd',
  given: readonly string[],
  input = '',
): void {
  execFileSync('flock', [join(tmpdir(), 'sallyport-accounts.lock'), tool, ...given], { input, stdio: 'pipe' })
}

/**
 * A real account of this machine with a password, for the duration of the tests; its home is not
 * made. Undefined without root, who alone can make one.
 */
export function makeSystemAccount(homes?: string): SystemAccount | undefined {
  if (process.getuid?.() !== 0) return undefined
  const username = `sallyport-${randomBytes(4).toString('hex')}`
  const password = randomBytes(12).toString('base64url')
  const home = homes ? join(homes, username) : '/tmp'
  keepAccounts('useradd', ['--no-create-home', '--home-dir', home, '--shell', '/bin/bash', username])
  keepAccounts('chpasswd', [], `${username}:${password}\n`)
  return { username, password, remove: () => keepAccounts('userdel', ['--force', username]) }
}

/** Waits until the port accepts connections, which is soon after the start. */
async function untilOpen(port: number, server: ChildProcess): Promise<void> {
  while (!(await isListening(port))) {
    if (server.exitCode !== null) throw new Error(`sshd ended with ${server.exitCode}`)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}
