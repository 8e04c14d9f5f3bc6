/** A real OpenSSH server on a free port of this machine, signed in to by key as the person who runs the tests. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'

export interface Sshd {
  port: number
  username: string
  privateKey: string
  /** Restarts it with another host key, as an impostor would show. */
  changeHostKey(): Promise<void>
  close(): Promise<void>
}

export async function startSshd(): Promise<Sshd> {
  const folder = mkdtempSync(join(tmpdir(), 'sallyport-sshd-'))
  const keygen = (name: string) => execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', join(folder, name)])
  keygen('host')
  keygen('client')
  writeFileSync(join(folder, 'authorized_keys'), readFileSync(join(folder, 'client.pub')))
  // sshd insists on its privilege separation folder, which only root can make.
  if (process.getuid?.() === 0) mkdirSync('/run/sshd', { recursive: true })
  const port = await freePort()
  let server: ChildProcess | undefined
  const start = async (hostKey: string) => {
    writeFileSync(
      join(folder, 'config'),
      `Port ${port}\nListenAddress 127.0.0.1\nHostKey ${join(folder, hostKey)}\nAuthorizedKeysFile ${join(folder, 'authorized_keys')}\n` +
        `StrictModes no\nUsePAM no\nPasswordAuthentication no\nPermitRootLogin yes\nPidFile none\nAllowTcpForwarding yes\nMaxStartups 100\n`,
    )
    server = spawn('/usr/sbin/sshd', ['-D', '-e', '-f', join(folder, 'config')], { stdio: 'ignore' })
    await untilOpen(port)
  }
  const stop = () =>
    new Promise<void>((resolve) => {
      if (!server || server.exitCode !== null) return resolve()
      server.once('exit', () => resolve())
      server.kill('SIGTERM')
    })
  await start('host')
  return {
    port,
    username: userInfo().username,
    privateKey: readFileSync(join(folder, 'client'), 'utf8'),
    async changeHostKey() {
      await stop()
      keygen('other')
      await start('other')
    },
    async close() {
      await stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer().once('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number }
      server.close(() => resolve(port))
    })
  })
}

async function untilOpen(port: number): Promise<void> {
  for (let tries = 0; tries < 100; tries++) {
    const open = await new Promise<boolean>((resolve) => {
      const socket = connect(port, '127.0.0.1', () => {
        socket.destroy()
        resolve(true)
      }).once('error', () => resolve(false))
    })
    if (open) return
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  throw new Error('sshd did not start')
}
