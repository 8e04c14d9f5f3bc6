/**
 * A machine of its own for trials: sshd with all that it starts in a namespace, and its accounts,
 * passwords and homes on a small disk. It can lose its power in the middle of `chpasswd`, and its
 * disk can be full, without anything else on this machine noticing. Needs root.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { freePort } from '../../../../test/free-port.ts'
import { canConnect, openSmallDisk, type SmallDisk } from './small-disk-fixture.ts'

export interface Machine {
  port: number
  disk: SmallDisk
  /** Key of root, who logs in with it. */
  privateKey: string
  publicKey: string
  /** Everything that runs on it is gone at once; `start` brings it back. */
  crash(): Promise<void>
  start(): Promise<void>
  addAccount(username: string, password: string): void
  setPassword(username: string, password: string): void
  /** The only key with which one gets in from now on. */
  setKey(username: string, publicKey: string): void
  /** Settles when nothing runs there that a login has begun. */
  quiet(): Promise<void>
  close(): Promise<void>
}

/** Puts the machine's own /etc and homes in place of ours, then becomes its sshd. */
const BOOT = `mount --bind "$1/etc" /etc && mount --bind "$1/homes" /home && exec /usr/sbin/sshd -D -e -f /etc/machine-sshd`

export async function startMachine(): Promise<Machine> {
  const disk = openSmallDisk(64)
  const keys = mkdtempSync(join(tmpdir(), 'sallyport-machine-'))
  execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', join(keys, 'root')])
  const [privateKey, publicKey] = ['root', 'root.pub'].map((name) => readFileSync(join(keys, name), 'utf8')) as [
    string,
    string,
  ]
  rmSync(keys, { recursive: true })
  execFileSync('cp', ['-a', '/etc', join(disk.path, 'etc')])
  mkdirSync(join(disk.path, 'homes'))
  mkdirSync(join(disk.path, 'etc/machine-keys'))
  writeFileSync(join(disk.path, 'etc/machine-keys/root'), publicKey)
  execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', join(disk.path, 'etc/machine-host')])
  mkdirSync('/run/sshd', { recursive: true })
  const port = await freePort()
  writeFileSync(
    join(disk.path, 'etc/machine-sshd'),
    `Port ${port}\nListenAddress 127.0.0.1\nHostKey /etc/machine-host\nPidFile none\nStrictModes no\nPermitRootLogin yes
AuthorizedKeysFile .ssh/authorized_keys /etc/machine-keys/%u\nUsePAM no\nPasswordAuthentication yes\nMaxAuthTries 20\nMaxStartups 100\n`,
  )
  let sshd: ChildProcess | undefined
  const isUp = () => sshd && sshd.exitCode === null && sshd.signalCode === null
  const start = async () => {
    if (isUp()) return
    const namespace = ['--mount', '--propagation', 'private', '--pid', '--fork', '--kill-child']
    sshd = spawn('unshare', [...namespace, 'sh', '-c', BOOT, 'sh', disk.path], { stdio: 'ignore' })
    while (!(await canConnect(port))) {
      if (!isUp()) throw new Error(`the machine ended with ${sshd.exitCode}`)
      await setTimeout(20)
    }
  }
  const crash = async () => {
    if (!sshd || !isUp()) return
    const gone = once(sshd, 'exit')
    sshd.kill('SIGKILL')
    await gone
    while (await canConnect(port)) await setTimeout(20)
  }
  const inside = (program: string, given: string[], input = '') =>
    execFileSync('nsenter', ['--mount', `--target=${sshd?.pid}`, program, ...given], { input, stdio: 'pipe' })
  const setPassword = (username: string, password: string) => void inside('chpasswd', [], `${username}:${password}\n`)
  const setKey = (username: string, publicKey: string) =>
    void inside('su', ['-s', '/bin/sh', '-c', 'mkdir -p ~/.ssh; cat > ~/.ssh/authorized_keys', username], publicKey)
  const quiet = async () => {
    // `unshare` has one child, the machine's first process: sshd, to which all others fall.
    const [first] = sshd?.pid ? childrenOf(sshd.pid) : []
    while (first && childrenOf(first).length) await setTimeout(50)
  }
  await start()
  return {
    ...{ port, disk, privateKey, publicKey, crash, start, setPassword, setKey, quiet },
    addAccount(username, password) {
      inside('useradd', ['--create-home', '--shell', '/bin/bash', username])
      setPassword(username, password)
    },
    async close() {
      await crash()
      disk.close()
    },
  }
}

const childrenOf = (process: number): number[] =>
  readFileSync(`/proc/${process}/task/${process}/children`, 'utf8').split(' ').filter(Boolean).map(Number)
