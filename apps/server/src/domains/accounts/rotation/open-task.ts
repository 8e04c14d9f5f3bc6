import { AppError } from '../../../kernel/errors/app-error.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import type { Credentials } from '../../../kernel/secrets/login.ts'
import type { Opener } from '../../../kernel/secrets/vault.ts'
import {
  applicationAccountRow,
  changingAccountOf,
  inheritedApplicationLogin,
  isApplicationLoginOutside,
  keepChangedApplicationSecret,
  loadApplicationTarget,
} from '../../applications/index.ts'
import { settingsOf } from '../../settings/index.ts'
import {
  assetAccountRow,
  freeAccountOf,
  inheritedLogin,
  isLoginOutside,
  keepChangedSecret,
  machinesToChange,
} from '../../system-users/index.ts'
import type { accountsChangeTask } from '../tables.ts'
import { DatabaseAccount } from './database-account.ts'
import { storedLedger } from './ledger.ts'
import type { Ledger, Secrets, Target } from './protocol.ts'
import { RotationError } from './rotation-error.ts'
import { SshMachine } from './ssh-machine.ts'

export type ChangeTask = typeof accountsChangeTask.$inferSelect

/** An account that can be changed: where its secrets are stored, and what has it. To be closed. */
export interface OpenedTask {
  account: string
  ledger: Ledger
  target: Target & { close(): void }
}

/** The manner of a run's changes, besides the secret itself. */
export interface ChangeManner {
  keyStrategy: string
  /** A password like those to come; undefined where none changes. */
  example: string | undefined
}

/** Throws RotationError where the account can't be changed as things are. */
export async function openTask(kernel: Kernel, task: ChangeTask, manner: ChangeManner): Promise<OpenedTask> {
  const open = kernel.secrets.open('job', `change of the secret of ${task.username}`)
  if (task.asset) return openMachineTask(kernel, { ...task, asset: task.asset }, manner, open)
  if (task.app && task.system_user) return openDatabaseTask(kernel, { ...task, app: task.app }, task.system_user, open)
  throw new RotationError('unsupported')
}

async function openDatabaseTask(
  kernel: Kernel,
  { id: task, app }: ChangeTask & { app: string },
  systemUser: string,
  open: Opener,
): Promise<OpenedTask> {
  const { db } = kernel
  const account = await changingAccountOf(db, { app, systemUser })
  if (!account) throw new RotationError('no_account')
  const { id, username } = account
  if (await isApplicationLoginOutside(db, { id, app, username })) throw new RotationError('kept_outside')
  const target = await loadApplicationTarget(kernel, { applicationId: app, systemUserId: systemUser }, open).catch(
    (error) => {
      if (!(error instanceof AppError)) throw error
      throw new RotationError('unreachable', error.message, error)
    },
  )
  if (!target) throw new RotationError('no_account')
  const ledger = storedLedger(kernel, {
    row: applicationAccountRow(id),
    task,
    open,
    current: async () => secretsOf(await inheritedApplicationLogin(db, { id, app, username }, open)),
    keep: (tx) => keepChangedApplicationSecret(tx, { id, app, username }),
  })
  const logins = async () => [await ledger.current(), await ledger.candidate()]
  return { account: id, ledger, target: new DatabaseAccount(kernel, { target, username, logins }) }
}

async function openMachineTask(
  kernel: Kernel,
  { id, asset, username }: ChangeTask & { asset: string },
  manner: ChangeManner,
  open: Opener,
): Promise<OpenedTask> {
  const { db } = kernel
  const [machine] = await machinesToChange(db, [asset])
  if (!machine?.adminUser) throw new RotationError('no_admin_user')
  if (machine.adminName === username && settingsOf(kernel).get('CHANGE_AUTH_PLAN_SECURE_MODE_ENABLED'))
    throw new RotationError('admin_secret')
  const account = await freeAccountOf(db, asset, username)
  if (await isLoginOutside(db, account)) throw new RotationError('kept_outside')
  const ledger = storedLedger(kernel, {
    row: assetAccountRow(account),
    task: id,
    open,
    current: async () => secretsOf(await inheritedLogin(db, account, open)),
    keep: (tx) => keepChangedSecret(tx, account),
  })
  const target = new SshMachine(kernel, { asset, username, task: id, ...manner })
  return { account, ledger, target }
}

const secretsOf = (login: Pick<Credentials, 'password' | 'privateKey'> | undefined): Secrets | undefined =>
  login && { password: login.password || undefined, private_key: login.privateKey || undefined }
