/**
 * A machine whose accounts are changed: a real sshd, root by key as its admin user, real accounts,
 * and a line to it that a test can cut.
 */
import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DEFAULT_ORG_ID } from '@sallyport/contract/constants.ts'
import { type DomainServer, openDomainServer } from '../../../../test/domain-server.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import { previousOf, type SecretRow } from '../../../kernel/secrets/versions.ts'
import { generateSshKey, readStoredKey } from '../../../kernel/ssh/keys/plain-key.ts'
import { keepAccounts, makeSystemAccount, type Sshd, type SystemAccount, startSshd } from '../../assets/sshd-fixture.ts'
import { assetAccountRow, type HostLogin, openHost } from '../../system-users/index.ts'
import { registerAccounts } from '../index.ts'
import type { StoredSecrets, Subject } from './faults-fixture.ts'
import { generatePassword } from './generate-password.ts'
import { type Line, openLine } from './line-fixture.ts'
import type { Machine } from './machine-fixture.ts'
import { type ChangeTask, type OpenedTask, openTask } from './open-task.ts'

export interface RotationFixture extends DomainServer {
  sshd: Pick<Sshd, 'port' | 'privateKey'>
  line: Line
  asset: string
  boss: string
  /** An account of the machine; what is stored of it is its password. */
  anAccount(): Promise<{ account: Pick<SystemAccount, 'username' | 'password'>; task: ChangeTask }>
  /** The account as a plan would change it. */
  aTask(username: string): Promise<ChangeTask>
  /** Whether a connection as of a session, with what is stored, gets in. */
  getsIn(account: string): Promise<boolean>
  /** Whether one gets in with this password, or key. */
  asPerson(username: string, secret: { password?: string; private_key?: string }): Promise<boolean>
}

/** @param machine one of its own; else accounts of this machine behind a plain sshd */
export async function openRotationFixture(machine?: Machine): Promise<RotationFixture> {
  const fixture = await openDomainServer(registerAccounts)
  // Sends jobs, and does none: nothing else contacts the machine.
  await fixture.kernel.jobs.start()
  const { sshd, addAccount, close: closeMachine } = machine ? onMachine(machine) : await onThisMachine()
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
      const account = addAccount()
      const { username, password } = account
      await fixture.make('assets/accounts', { asset: asset.id, username, password })
      return { account, task: await aTask(username) }
    },
    getsIn: (account) => logsIn({ account }),
    asPerson: (username, { password = '', private_key: privateKey = '' }) => logsIn({ username, password, privateKey }),
    async close() {
      await line.close()
      await closeMachine()
      await fixture.kernel.jobs.close()
      await fixture.close()
    },
  }
}

function onMachine({ port, privateKey, addAccount, close }: Machine) {
  let count = 0
  return {
    ...{ sshd: { port, privateKey }, close },
    addAccount() {
      const account = { username: `account-${++count}`, password: generatePassword({ length: 20 }) }
      addAccount(account.username, account.password)
      return account
    },
  }
}

async function onThisMachine() {
  // Homes that the accounts' keys are in, as on any machine.
  const homes = mkdtempSync(join(tmpdir(), 'sallyport-homes-'))
  chmodSync(homes, 0o755)
  const sshd = await startSshd({
    config: `AuthorizedKeysFile ${homes}/%u/.ssh/authorized_keys\nPasswordAuthentication yes\nUsePAM no\nMaxAuthTries 20\nLoginGraceTime 120\n`,
  })
  mkdirSync(`${homes}/root/.ssh`, { recursive: true })
  writeFileSync(`${homes}/root/.ssh/authorized_keys`, `${readStoredKey(sshd.privateKey)?.publicKey}\n`)
  const removals: (() => void)[] = []
  return {
    sshd,
    addAccount() {
      const account = makeSystemAccount(homes)
      if (!account) throw new Error('only root can make accounts')
      removals.push(account.remove)
      const home = `${homes}/${account.username}`
      mkdirSync(home)
      execFileSync('chown', [account.username, home])
      return account
    },
    async close() {
      await sshd.close()
      for (const remove of removals) remove()
      rmSync(homes, { recursive: true, force: true })
    },
  }
}

/** The parts of a machine's account that a run changes. */
export type Changed = 'password' | 'key' | 'both'

/** An account of the machine, with all that can happen to it; where it is a machine of its own, crashes and full disks too. */
export async function subjectOf(
  fixture: RotationFixture,
  { machine, changes = 'password' }: { machine?: Machine; changes?: Changed } = {},
): Promise<Subject> {
  const { kernel, line } = fixture
  const { account, task } = await fixture.anAccount()
  const { username } = account
  const begin = () => openTask(kernel, task, { keyStrategy: 'set_jms', example: undefined })
  const { account: id, target } = await begin()
  const part = changes === 'key' ? 'private_key' : 'password'
  if (changes === 'key') {
    // Nothing but a key is stored, or the password would let in where a key is lost.
    const key = generateSshKey()
    await target.change({ public_key: key.publicKey })
    await enter(fixture, `assets/accounts/${id}`, { password: '', private_key: key.privateKey })
  }
  target.close()
  return {
    ...{ line, begin, part },
    wanted() {
      const { privateKey: private_key, publicKey: public_key } = generateSshKey()
      return {
        ...(changes === 'key' ? {} : { password: generatePassword({ length: 20 }) }),
        ...(changes === 'password' ? {} : { private_key, public_key }),
      }
    },
    getsIn: () => fixture.getsIn(id),
    asPerson: (secret) => fixture.asPerson(username, { [part]: secret }),
    someSecret: () =>
      part === 'private_key' ? generateSshKey().privateKey : `By-hand-${generatePassword({ length: 20 })}`,
    async setByHand(secret) {
      if (part === 'password') (machine ?? { setPassword }).setPassword(username, secret)
      else machine?.setKey(username, readStoredKey(secret)?.publicKey ?? '')
    },
    enter: (secret) => enter(fixture, `assets/accounts/${id}`, { [part]: secret }),
    stored: () => storedSecrets(kernel, assetAccountRow(id), begin, part),
    ...(machine ? { crash: machine.crash, start: machine.start, disk: machine.disk, quiet: machine.quiet } : {}),
  }
}

export async function enter(
  { call }: DomainServer,
  path: string,
  secrets: { password?: string; private_key?: string },
): Promise<void> {
  const { status, body } = await call('PATCH', `/api/v1/${path}/`, secrets)
  if (status !== 200) throw new Error(`${path}: ${status} ${JSON.stringify(body)}`)
}

/** The passwords, or keys, that are stored of an account. */
export async function storedSecrets(
  { db, secrets }: Kernel,
  row: SecretRow,
  begin: () => Promise<OpenedTask>,
  part: Subject['part'],
): Promise<StoredSecrets> {
  const open = secrets.open('test', 'a test')
  const { ledger, target } = await begin()
  target.close()
  return {
    current: (await ledger.current())?.[part],
    candidate: (await ledger.candidate())?.[part],
    previous: (await previousOf(db, row))
      .flatMap((version) => version[`${part}_sealed`] ?? [])
      .map((sealed) => open(sealed)),
  }
}

/** As an administrator of the machine would, behind everybody's back. */
export function setPassword(username: string, password: string): void {
  keepAccounts('chpasswd', [], `${username}:${password}\n`)
}
