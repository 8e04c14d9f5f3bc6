/** OpenSSH's own clients against the SSH listener, for tests. */
import { execFileSync, spawn } from 'node:child_process'
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestDatabase } from '../../../../test/database.ts'
import { PASSWORD } from '../../../../test/server.ts'
import { openTerminalFixture, type TerminalFixture } from '../web/terminal-fixture.ts'

export interface Ran {
  code: number | null
  stdout: Buffer
  stderr: string
}

export interface RunOptions {
  input?: Buffer | string
  /** Used instead of the person's key. */
  password?: string
  /** Options before the destination. */
  options?: string[]
  environment?: Record<string, string>
}

export interface SshFixture extends TerminalFixture {
  port: number
  /** Destination that leads straight to the fixture's asset. */
  direct: string
  /** `-o` options that every OpenSSH program accepts. */
  clientOptions(options?: Pick<RunOptions, 'password'>): { options: string[]; environment: Record<string, string> }
  /** Runs `ssh` to its end. */
  ssh(destination: string, command?: string | undefined, options?: RunOptions): Promise<Ran>
  /** Runs any program to its end. */
  run(
    program: string,
    parameters: string[],
    options?: { input?: Buffer | string; environment?: Record<string, string> },
  ): Promise<Ran>
  folder: string
}

/** With the person's public key stored, and an asset to connect to. */
export async function openSshFixture(
  environment: Record<string, string> = {},
  database?: TestDatabase,
): Promise<SshFixture> {
  const fixture = await openTerminalFixture(environment, database)
  const folder = mkdtempSync(join(tmpdir(), 'sallyport-ssh-'))
  const key = join(folder, 'id')
  execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', key])
  const { person, server } = fixture
  const stored = await person.put('/api/v1/users/profile/public-key/', {
    public_key: readFileSync(`${key}.pub`, 'utf8'),
  })
  if (stored.status !== 200) throw new Error(`the public key was not stored: ${JSON.stringify(stored.body)}`)
  const askpass = join(folder, 'askpass')
  writeFileSync(askpass, '#!/bin/sh\nprintf "%s\\n" "$TEST_PASSWORD"\n')
  chmodSync(askpass, 0o700)
  const port = server.sshPort ?? 0

  const clientOptions = ({
    password,
  }: Pick<RunOptions, 'password'> = {}): { options: string[]; environment: Record<string, string> } => ({
    options: [
      ...[
        '-F',
        '/dev/null',
        '-o',
        `Port=${port}`,
        '-o',
        `UserKnownHostsFile=${join(folder, 'known')}`,
        '-o',
        'StrictHostKeyChecking=accept-new',
      ],
      ...['-o', 'LogLevel=ERROR', '-o', 'NumberOfPasswordPrompts=1'],
      ...(password === undefined
        ? [
            '-o',
            `IdentityFile=${key}`,
            '-o',
            'IdentitiesOnly=yes',
            '-o',
            'PreferredAuthentications=publickey',
            '-o',
            'BatchMode=yes',
          ]
        : ['-o', 'PubkeyAuthentication=no']),
    ],
    environment:
      password === undefined ? {} : { SSH_ASKPASS: askpass, SSH_ASKPASS_REQUIRE: 'force', TEST_PASSWORD: password },
  })
  const run: SshFixture['run'] = (program, parameters, { input = '', environment = {} } = {}) =>
    new Promise((resolve, reject) => {
      const child = spawn(program, parameters, { env: { ...process.env, LC_ALL: 'C', HOME: folder, ...environment } })
      const stdout: Buffer[] = []
      const stderr: Buffer[] = []
      child.stdout.on('data', (bytes) => stdout.push(bytes))
      child.stderr.on('data', (bytes) => stderr.push(bytes))
      child.on('error', reject)
      child.on('close', (code) =>
        resolve({ code, stdout: Buffer.concat(stdout), stderr: Buffer.concat(stderr).toString() }),
      )
      child.stdin.on('error', () => {})
      child.stdin.end(input)
    })
  return {
    ...fixture,
    port,
    folder,
    direct: `${person.username}@${fixture.sshd.username}@127.0.0.1@127.0.0.1`,
    clientOptions,
    run,
    ssh(destination, command, { input, password, options = [], environment = {} } = {}) {
      const client = clientOptions(password === undefined ? {} : { password })
      const parameters = [...client.options, ...options, destination, ...(command === undefined ? [] : [command])]
      return run('ssh', parameters, {
        ...(input === undefined ? {} : { input }),
        environment: { ...client.environment, ...environment },
      })
    },
    async close() {
      await fixture.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

export { PASSWORD }
