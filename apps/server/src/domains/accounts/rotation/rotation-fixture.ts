/**
 * A machine whose accounts are changed: a real sshd, root by key as its admin user, real accounts,
 * and a line to it that a test can cut.
 */
import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { connect, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DEFAULT_ORG_ID } from '@sallyport/contract/constants.ts'
import { type DomainServer, openDomainServer } from '../../../../test/domain-server.ts'
import { type HostLogin, openHost } from '../../assets/index.ts'
import { readPrivateKey } from '../../assets/ssh-key.ts'
import { keepAccounts, makeSystemAccount, type Sshd, type SystemAccount, startSshd } from '../../assets/sshd-fixture.ts'
import { registerAccounts } from '../index.ts'
import type { ChangeTask } from './open-task.ts'

/** Connections that came over a line, and when they are cut. */
export interface Line {
  port: number
  /** Bytes from here to the machine, by connection since the last reset. */
  sent: number[]
  /** Cuts that connection once so many bytes were passed on; all that follow are refused until `mend`. */
  cutAt(connection: number, bytes: number): void
  mend(): void
  close(): Promise<void>
}

export async function openLine(to: number): Promise<Line> {
  const sockets = new Set<Socket>()
  let cut: { connection: number; bytes: number } | undefined
  let isCut = false
  const line = { sent: [] as number[] }
  const server = createServer((socket) => {
    // What an earlier run still sends does not count.
    const { sent } = line
    const at = sent.push(0) - 1
    const isToCut = () => sent === line.sent && cut?.connection === at
    if (isCut || (isToCut() && cut?.bytes === 0)) {
      isCut = true
      return void socket.destroy()
    }
    const machine = connect(to, '127.0.0.1')
    for (const one of [socket, machine]) {
      sockets.add(one)
      one
        .on('error', () => {})
        .on('close', () => {
          sockets.delete(one)
          socket.destroy()
          machine.destroy()
        })
    }
    machine.pipe(socket)
    socket.on('data', (bytes: Buffer) => {
      const before = sent[at] ?? 0
      const left = isToCut() ? (cut?.bytes ?? 0) - before : Number.POSITIVE_INFINITY
      sent[at] = before + Math.min(bytes.length, left)
      machine.write(bytes.subarray(0, left))
      if (bytes.length < left) return
      isCut = true
      machine.end(() => socket.destroy())
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    get sent() {
      return line.sent
    },
    port: (server.address() as AddressInfo).port,
    cutAt(connection, bytes) {
      line.sent = []
      cut = { connection, bytes }
      isCut = false
    },
    mend() {
      line.sent = []
      cut = undefined
      isCut = false
    },
    close: () =>
      new Promise<void>((resolve) => {
        for (const socket of sockets) socket.destroy()
        server.close(() => resolve())
      }),
  }
}

export interface RotationFixture extends DomainServer {
  sshd: Sshd
  line: Line
  asset: string
  boss: string
  /** An account of the machine; what is stored of it is its password. */
  anAccount(): Promise<{ account: SystemAccount; task: ChangeTask }>
  /** The account as a plan would change it. */
  aTask(username: string): Promise<ChangeTask>
  /** Whether a connection as of a session, with what is stored, gets in. */
  getsIn(account: string): Promise<boolean>
  /** Whether one gets in with this password. */
  asPerson(username: string, password: string): Promise<boolean>
}

export async function openRotationFixture(): Promise<RotationFixture> {
  const fixture = await openDomainServer(registerAccounts)
  // Sends jobs, and does none: nothing else contacts the machine.
  await fixture.kernel.jobs.start()
  // Homes that the accounts' keys are in, as on any machine.
  const homes = mkdtempSync(join(tmpdir(), 'sallyport-homes-'))
  chmodSync(homes, 0o755)
  const sshd = await startSshd({
    config: `AuthorizedKeysFile ${homes}/%u/.ssh/authorized_keys\nPasswordAuthentication yes\nUsePAM no\nMaxAuthTries 20\nLoginGraceTime 120\n`,
  })
  mkdirSync(`${homes}/root/.ssh`, { recursive: true })
  writeFileSync(`${homes}/root/.ssh/authorized_keys`, `${readPrivateKey(sshd.privateKey)?.publicKey}\n`)
  const line = await openLine(sshd.port)
  const boss = await fixture.make('assets/system-users', {
    name: 'boss',
    username: 'root',
    private_key: sshd.privateKey,
    type: 'admin',
  })
  const asset = await fixture.make('assets/assets', {
    hostname: 'web-1',
    ip: '127.0.0.1',
    platform: 'Linux',
    protocols: [`ssh/${line.port}`],
    admin_user: boss.id,
  })
  const { rows } = await fixture.pool.query(
    `WITH plan AS (INSERT INTO accounts_change_plan (org_id, family, name, is_periodic) VALUES ($1, 'asset', 'all', false) RETURNING id)
     INSERT INTO accounts_change_execution (org_id, family, plan, plan_snapshot) SELECT $1, 'asset', id, '{}' FROM plan RETURNING id`,
    [DEFAULT_ORG_ID],
  )
  const removals: (() => void)[] = []
  const aTask: RotationFixture['aTask'] = async (username) => {
    const { rows: made } = await fixture.pool.query(
      `INSERT INTO accounts_change_task (org_id, family, execution, asset, username) VALUES ($1, 'asset', $2, $3, $4) RETURNING *`,
      [DEFAULT_ORG_ID, rows[0].id, asset.id, username],
    )
    return made[0]
  }
  const logsIn = (as: HostLogin) =>
    openHost(fixture.kernel, { assetId: asset.id, as, reason: 'test', timeoutMs: 60_000 }).then(
      (host) => {
        host.close()
        return true
      },
      () => false,
    )
  return {
    ...fixture,
    sshd,
    line,
    asset: asset.id,
    boss: boss.id,
    aTask,
    async anAccount() {
      const account = makeSystemAccount(homes)
      if (!account) throw new Error('only root can make accounts')
      removals.push(account.remove)
      const home = `${homes}/${account.username}`
      mkdirSync(home)
      execFileSync('chown', [account.username, home])
      await fixture.make('assets/accounts', { asset: asset.id, username: account.username, password: account.password })
      return { account, task: await aTask(account.username) }
    },
    getsIn: (account) => logsIn({ account }),
    asPerson: (username, password) => logsIn({ username, password, privateKey: '' }),
    async close() {
      await line.close()
      await sshd.close()
      for (const remove of removals) remove()
      rmSync(homes, { recursive: true, force: true })
      await fixture.kernel.jobs.close()
      await fixture.close()
    },
  }
}

/** As an administrator of the machine would, behind everybody's back. */
export function setPassword(username: string, password: string): void {
  keepAccounts('chpasswd', [], `${username}:${password}\n`)
}
